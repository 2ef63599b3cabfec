// A server with numbers from memory, to point redis-cli and redis-benchmark at. Usage: serve_fake [port [threads [password]]]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/resp/server.h"
#include "base/guarded.h"

namespace {

using namespace seqd;

// Sharded, flat and without allocation, so that what is measured is the server. Two ids with one 64-bit hash would share a
// counter, which does not matter here.
class MemoryNumbers final : public resp::Numbers {
 public:
  TakeResult take(const ConvId& conv, std::int64_t n, AnswerSink*, std::uint64_t) override {
    const std::size_t hash = std::hash<std::string_view>{}(conv.bytes()) | 1U;
    return shards_[hash >> 58U].with([&](Shard& shard) {
      std::int64_t& at = shard.counter(hash);
      at += n;
      return TakeResult{TakeResult::Kind::kTaken, {}, at - n + 1, at};
    });
  }
  PeekResult peek(const ConvId& conv, AnswerSink*, std::uint64_t) override {
    const std::size_t hash = std::hash<std::string_view>{}(conv.bytes()) | 1U;
    return shards_[hash >> 58U].with([&](Shard& shard) {
      const std::int64_t at = shard.counter(hash);
      return PeekResult{at == 0 ? PeekResult::Kind::kNever : PeekResult::Kind::kKnown, {}, at, at};
    });
  }
  std::string refusal_text(Refusal) const override { return "refused"; }
  Place place(const ConvId&) const override { return {}; }
  resp::InfoText route() const override { return {}; }
  resp::InfoText info() const override { return {{"seqd_route", "memory"}}; }

 private:
  struct Shard {
    struct Place {
      std::size_t hash = 0;
      std::int64_t at = 0;
    };
    static constexpr std::size_t kPlaces = 1U << 16U;
    std::vector<Place> places = std::vector<Place>(kPlaces);
    std::int64_t& counter(std::size_t hash) {
      std::size_t i = (hash >> 8U) % kPlaces;
      while (places[i].hash != 0 && places[i].hash != hash) i = (i + 1) % kPlaces;
      places[i].hash = hash;
      return places[i].at;
    }
  };
  std::vector<Guarded<Shard>> shards_ = std::vector<Guarded<Shard>>(64);
};

}  // namespace

int main(int argc, char** argv) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  MemoryNumbers numbers;
  seqd::RespSettings settings;
  settings.listen = std::string("127.0.0.1:") + (argc > 1 ? argv[1] : "0");
  settings.threads = argc > 2 ? std::atoi(argv[2]) : 0;
  resp::Server server(
      settings, argc > 3 ? argv[3] : "", numbers, 100000, {"0.1.0", "0", "serve_fake", ""},
      [](std::string_view line) { std::fprintf(stderr, "%s\n", std::string(line).c_str()); });
  if (const auto listening = server.listen(); !listening) {
    std::fprintf(stderr, "%s\n", listening.error().message.c_str());
    return 1;
  }
  server.start();
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  int got = 0;
  sigwait(&stop, &got);
  return server.drain(std::chrono::seconds(2)) ? 0 : 1;
}
