// What all connections of a server have in common: settings, facts, the seam to the numbers, and the counters.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "adapters/resp/clients.h"
#include "adapters/resp/numbers.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "core/settings.h"

namespace seqd::resp {

/// What INFO and HELLO tell about the process.
struct ServerFacts {
  std::string version;  ///< seqd's own
  std::string run_id;
  std::string executable;
  std::string config_file;
};

struct Limits {
  Duration partial_command =
      std::chrono::seconds(5);  ///< then a client that does not finish one is closed
  Duration wrong_password = std::chrono::seconds(1);  ///< a wrong AUTH is not answered sooner
  Duration accept_pause =
      std::chrono::milliseconds(100);  ///< after accept failed for want of descriptors
};

/// One sentence for the operator's log. Any thread.
using Log = std::function<void(std::string_view)>;

/// The redis_version that clients read their feature sets from: what is served here is what 7.0 serves.
inline constexpr std::string_view kRedisVersion = "7.0.15";

/// Written by one event loop, read by anyone: relaxed, no locked instruction.
class Count {
 public:
  void add(std::uint64_t n) { n_.store(n_.load(std::memory_order_relaxed) + n, kRelaxed); }
  std::uint64_t get() const { return n_.load(kRelaxed); }

 private:
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
  std::atomic<std::uint64_t> n_{0};
};

/// Commands by what they ask for and what came of them, as they are counted.
enum class Asked : unsigned char { kTake, kRead, kOther };
enum class Answered : unsigned char {
  kOk,
  kRefused,  ///< a good command that could not be served now; nothing was done
  kError,    ///< the client's mistake
};

struct alignas(64) LoopStats {
  std::array<std::array<Count, 3>, 3> results;  ///< by Asked and Answered
  void count(Asked asked, Answered answered) {
    results[static_cast<std::size_t>(asked)][static_cast<std::size_t>(answered)].add(1);
  }
  void count(const TakeResult& result) {
    if (result.kind == TakeResult::Kind::kWaiting) return;
    count(Asked::kTake,
          result.kind == TakeResult::Kind::kTaken ? Answered::kOk : Answered::kRefused);
  }
  void count(const PeekResult& result) {
    if (result.kind == PeekResult::Kind::kWaiting) return;
    count(Asked::kRead,
          result.kind == PeekResult::Kind::kRefused ? Answered::kRefused : Answered::kOk);
  }
  Count commands;
  Count bytes_in;
  Count bytes_out;
  Count protocol_errors;
  Count http_requests;  ///< closed unanswered: somebody spoke HTTP to this port
  Count wrong_passwords;
  Count slow_closed;  ///< closed for not finishing a command
};

/// Commands per second between two looks at least a second apart. Any thread.
class Rate {
 public:
  std::uint64_t since_last(BootTime now, std::uint64_t commands);

 private:
  struct Look {
    BootTime at = boot_now();
    std::uint64_t commands = 0;
    std::uint64_t rate = 0;
  };
  Guarded<Look> last_;
};

/// A sum over all loops at one moment.
struct ServerStats {
  std::array<std::array<std::uint64_t, 3>, 3> results{};  ///< by Asked and Answered
  std::uint64_t connected = 0;
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;  ///< over max_clients
  std::uint64_t commands = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t protocol_errors = 0;
  std::uint64_t http_requests = 0;
  std::uint64_t wrong_passwords = 0;
  std::uint64_t slow_closed = 0;
};

/// Owned by the Server; outlives its loops. Constant once the loops run, but for clients, the atomics and loops' counters.
struct Shared {
  Shared(RespSettings resp, std::string secret, Numbers& source, std::int64_t batch,
         ServerFacts about, Log sink, Limits bounds);

  const RespSettings settings;
  const std::string password;  ///< "" = none is asked for
  Numbers& numbers;
  std::atomic<std::int64_t> max_batch;
  const ServerFacts facts;
  const Log log;
  const Limits limits;
  const std::string bad_key;  ///< error texts that name a setting
  std::string bad_count() const;
  const BootTime started = boot_now();
  std::string address;  ///< as bound
  std::uint16_t port = 0;

  Clients clients;
  Rate rate;
  std::atomic<std::uint64_t> next_client_id{1};
  std::atomic<std::int64_t> connected{0};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> rejected{0};
  std::deque<LoopStats> loops;  ///< one each; a deque, because its elements stay where they are

  ServerStats stats() const;
};

}  // namespace seqd::resp
