// What core tells the outside world: it has no log of its own.
#pragma once

#include <string>

namespace seqd {

enum class Severity : unsigned char { kInfo, kWarning, kError };

/// Called from core's lanes; must not block and must not call back into core. `name` is a stable word for machines
/// ("lease.gained"), `text` a sentence for people.
class Events {
 public:
  virtual ~Events() = default;
  virtual void on_event(Severity severity, const char* name, const std::string& text) noexcept = 0;
  /// The store belongs to another fleet (DESIGN O4): the process must end.
  virtual void on_fatal(const std::string& text) noexcept = 0;
};

}  // namespace seqd
