// Errors are values: a call that can fail returns Result<T>, and the compiler insists that it is looked at.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace seqd {

/// What a failed call means for its caller. Few on purpose: each asks for a different action.
enum class Code : unsigned char {
  kUnavailable,  ///< no contact, or the store cannot write (refused, cut, read-only); nothing was done
  kBusy,  ///< the store answered, but not now (lock timeout, deadlock, a beat that moved); nothing was done
  kUnknown,  ///< may or may not have been done (lost reply of a COMMIT): never reuse (DESIGN S1)
  kFenced,   ///< this owner's row is fenced or gone: drop everything, register anew (DESIGN O2)
  kLostCommits,  ///< the store forgot what it had confirmed (DESIGN S7)
  kRefused,      ///< the store is readable but not fit (engine, schema, grants): a human must act
  kMismatch,     ///< seq_meta belongs to a differently configured fleet: the process must end (O4)
};

struct Error {
  Code code = Code::kUnavailable;
  std::string message;  ///< one sentence for people: what happened, where, what to do
};

/// Either a T or an Error. Thread-compatible, like the T in it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : x_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : x_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(x_); }
  explicit operator bool() const { return ok(); }

  /// REQUIRES: ok()
  T& value() { return std::get<T>(x_); }
  const T& value() const { return std::get<T>(x_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// REQUIRES: !ok()
  const Error& error() const { return std::get<Error>(x_); }

 private:
  std::variant<T, Error> x_;
};

/// The value of a call that returns nothing but may fail.
struct Done {};

}  // namespace seqd
