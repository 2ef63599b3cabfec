#include "adapters/resp/shared.h"

#include <algorithm>
#include <utility>

namespace seqd::resp {

Shared::Shared(RespSettings resp, std::string secret, Numbers& source, std::int64_t batch,
               ServerFacts about, Log sink, Limits bounds)
    : settings(std::move(resp)),
      password(std::move(secret)),
      numbers(source),
      max_batch(batch),
      facts(std::move(about)),
      log(std::move(sink)),
      limits(bounds),
      bad_key("ERR invalid conversation id: expected '" + settings.key_prefix +
              "{id}' with an id of 1 to 64 bytes of UTF-8 without control characters") {}

std::uint64_t Rate::since_last(BootTime now, std::uint64_t commands) {
  return last_.with([&](Look& last) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - last.at).count();
    if (ms >= 1000) {
      last = {now, commands, (commands - last.commands) * 1000 / static_cast<std::uint64_t>(ms)};
    }
    return last.rate;
  });
}

ServerStats Shared::stats() const {
  ServerStats sum;
  sum.connected = static_cast<std::uint64_t>(
      std::max<std::int64_t>(connected.load(std::memory_order_relaxed), 0));
  sum.accepted = accepted.load(std::memory_order_relaxed);
  sum.rejected = rejected.load(std::memory_order_relaxed);
  for (const LoopStats& loop : loops) {
    sum.commands += loop.commands.get();
    for (std::size_t i = 0; i < loop.results.size(); ++i) {
      for (std::size_t j = 0; j < loop.results[i].size(); ++j) {
        sum.results[i][j] += loop.results[i][j].get();
      }
    }
    sum.bytes_in += loop.bytes_in.get();
    sum.bytes_out += loop.bytes_out.get();
    sum.protocol_errors += loop.protocol_errors.get();
    sum.http_requests += loop.http_requests.get();
    sum.wrong_passwords += loop.wrong_passwords.get();
    sum.slow_closed += loop.slow_closed.get();
  }
  return sum;
}

std::string Shared::bad_count() const {
  return "ERR count out of range: INCRBY takes 1 to " +
         std::to_string(max_batch.load(std::memory_order_relaxed)) +
         " numbers (segment.max_batch); a sequence never goes back";
}

}  // namespace seqd::resp
