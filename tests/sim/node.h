// One daemon of a simulated fleet, and the clients that are connected to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "fakes/daemon.h"
#include "support/history.h"

namespace seqd::sim {

using support::Op;

struct Front final : AnswerSink {  // one daemon's clients
  struct Open {
    int conv = 0;
    Op op;
    BootTime since;
    std::function<void()> next;
  };
  std::map<std::uint64_t, Open> open;
  std::function<void(Open&, const TakeResult&)> answered;
  std::uint64_t twice = 0;
  void taken(std::uint64_t token, const TakeResult& r) noexcept override {
    const auto it = open.find(token);
    if (it == open.end()) {
      ++twice;
      return;
    }
    Open o = std::move(it->second);
    open.erase(it);
    answered(o, r);
  }
  void peeked(std::uint64_t, const PeekResult&) noexcept override {}
};
struct Node {
  std::unique_ptr<fakes::Daemon> d;
  Front front;
  bool frozen = false, dead = false, leaving = false, left = false;
  BootTime frozen_until, leave_began, thawed;
};
}  // namespace seqd::sim
