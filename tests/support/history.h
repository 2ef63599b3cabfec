// The checker: what one conversation answered is linearizable as a counter with gaps if and only if all numbers differ and
// their order extends real-time order. That takes no search: O(n log n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace seqd::support {

/// One answered request: `inv` just before it was sent, `resp` just after its answer was read, on one clock; numbers lo … hi.
struct Op {
  std::uint64_t inv = 0;
  std::uint64_t resp = 0;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
};

inline std::int64_t largest(const std::vector<Op>& ops) {
  std::int64_t most = 0;
  for (const Op& op : ops) most = std::max(most, op.hi);
  return most;
}

/// What is wrong with the history of one conversation: "UNIQUE …", "ORDER …", "BOUNDED …"; the first of each kind. Requests without
/// an answer are left out by the caller.
inline std::vector<std::string> history_faults(std::vector<Op> ops) {
  std::vector<std::string> faults;
  std::sort(ops.begin(), ops.end(), [](const Op& a, const Op& b) { return a.lo < b.lo; });
  for (std::size_t i = 1; i < ops.size(); ++i) {
    if (ops[i].lo <= ops[i - 1].hi) {
      faults.push_back("UNIQUE " + std::to_string(ops[i].lo));
      break;
    }
  }
  for (const Op& op : ops) {
    if (op.lo < 1 || op.hi < op.lo || op.hi > (std::int64_t{1} << 53) - 1) {
      faults.push_back("BOUNDED " + std::to_string(op.lo));
      break;
    }
  }
  std::vector<Op> answered = ops;
  std::sort(ops.begin(), ops.end(), [](const Op& a, const Op& b) { return a.inv < b.inv; });
  std::sort(answered.begin(), answered.end(),
            [](const Op& a, const Op& b) { return a.resp < b.resp; });
  std::int64_t before = 0;
  std::size_t j = 0;
  for (const Op& op : ops) {
    for (; j < answered.size() && answered[j].resp < op.inv; ++j) {
      before = std::max(before, answered[j].hi);
    }
    if (op.lo <= before) {
      faults.push_back("ORDER " + std::to_string(op.lo) + " after " + std::to_string(before));
      break;
    }
  }
  return faults;
}

}  // namespace seqd::support
