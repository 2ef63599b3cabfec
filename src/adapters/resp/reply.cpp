#include "adapters/resp/reply.h"

#include <algorithm>
#include <cstring>

namespace seqd::resp {
namespace {

constexpr std::size_t kFirstCapacity = 16 * 1024;
constexpr std::size_t kKeptCapacity = 512 * 1024;

char* put(char* p, std::string_view text) {
  if (!text.empty()) std::memcpy(p, text.data(), text.size());
  return p + text.size();
}

}  // namespace

void Reply::grow(std::size_t n) {
  const std::size_t capacity = std::max({kFirstCapacity, capacity_ * 2, size_ + n});
  std::unique_ptr<char[]> data(new char[capacity]);
  put(data.get(), bytes());
  data_ = std::move(data);
  capacity_ = capacity;
}

void Reply::clear() {
  size_ = 0;
  if (capacity_ > kKeptCapacity) {
    data_.reset();
    capacity_ = 0;
  }
}

void Reply::raw(std::string_view bytes) {
  put(room(bytes.size()), bytes);
  size_ += bytes.size();
}

void Reply::head(char type, std::size_t n) {
  char* p = room(kMaxIntegerBytes + 3);
  *p++ = type;
  p = put(write_integer(p, static_cast<std::int64_t>(n)), "\r\n");
  size_ = static_cast<std::size_t>(p - data_.get());
}

void Reply::bulk(std::string_view text) {
  head('$', text.size());
  char* p = put(put(room(text.size() + 2), text), "\r\n");
  size_ = static_cast<std::size_t>(p - data_.get());
}

void Reply::line(char type, std::string_view a, std::string_view b) {
  char* p = room(a.size() + b.size() + 3);
  *p++ = type;
  char* const end = put(put(p, a), b);
  std::replace_if(
      p, end, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  put(end, "\r\n");
  size_ = static_cast<std::size_t>(end + 2 - data_.get());
}

void Reply::simple(std::string_view text) { line('+', text, {}); }

void Reply::error(std::string_view code, std::string_view text) { line('-', code, text); }

void Reply::null() { raw(protocol == 3 ? "_\r\n" : "$-1\r\n"); }

void Reply::null_array() { raw(protocol == 3 ? "_\r\n" : "*-1\r\n"); }

}  // namespace seqd::resp
