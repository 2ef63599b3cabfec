// The header fields of one request: each line is checked, and those that decide about framing are taken at their word once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/head.h"

namespace seqd::http {

/// True for a non-empty name as HTTP allows it for methods and fields.
bool is_token(std::string_view text);

/// Fills a Head that outlives it. add() for each line, then finish(); after a Fault, neither.
class Fields {
 public:
  explicit Fields(Head& head) : head_(head) {}
  std::optional<Fault> add(std::string_view line);
  std::optional<Fault> finish();

 private:
  std::optional<Fault> take(std::string_view name, std::string_view value);

  Head& head_;
  std::size_t count_ = 0;
  std::optional<std::string> host_;
  std::optional<std::string> length_;
  std::optional<std::string> coding_;
  std::optional<std::string> type_;
  std::optional<std::string> authorization_;
  std::optional<std::string> expect_;
  bool encoded_ = false;
  bool close_ = false;
  bool keep_ = false;
};

}  // namespace seqd::http
