#include "adapters/http/json.h"

#include "base/utf8.h"

namespace seqd::http {
namespace {

void write_string(std::string_view text, std::string& out) {
  const bool clean = is_printable_utf8(text);
  out += '"';
  for (const char c : text) {
    const bool printable =
        static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += clean || printable ? c : '?';
    }
  }
  out += '"';
}

}  // namespace

Json Json::number(std::int64_t value) {
  Json json;
  json.value_ = value;
  return json;
}

std::string Json::text() const {
  std::string out;
  write(out);
  return out;
}

void Json::write(std::string& out) const {
  if (const auto* flag = std::get_if<bool>(&value_)) {
    out += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*number);
  } else if (const auto* string = std::get_if<std::string>(&value_)) {
    write_string(*string, out);
  } else if (const auto* array = std::get_if<Array>(&value_)) {
    out += '[';
    const char* comma = "";
    for (const Json& element : *array) {
      out += comma;
      element.write(out);
      comma = ",";
    }
    out += ']';
  } else if (const auto* object = std::get_if<Object>(&value_)) {
    out += '{';
    const char* comma = "";
    for (const auto& [name, member] : *object) {
      out += comma;
      write_string(name, out);
      out += ':';
      member.write(out);
      comma = ",";
    }
    out += '}';
  } else {
    out += "null";
  }
}

}  // namespace seqd::http
