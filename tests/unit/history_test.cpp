// The checker itself: good histories pass, bad ones must not.
#include "support/history.h"

#include <doctest/doctest.h>

using seqd::support::history_faults;
using seqd::support::Op;

namespace {

bool finds(const std::vector<Op>& ops, const std::string& kind) {
  for (const std::string& fault : history_faults(ops)) {
    if (fault.substr(0, kind.size()) == kind) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the checker passes a history with gaps, batches and overlapping requests") {
  CHECK(history_faults({}).empty());
  CHECK(history_faults({{1, 2, 1, 1}, {3, 4, 2, 11}, {5, 6, 500, 500}}).empty());
  CHECK(history_faults({{1, 10, 7, 7}, {2, 9, 3, 3}, {3, 8, 5, 6}}).empty());  // all overlap
}

TEST_CASE("the checker finds a number that was answered twice") {
  CHECK(finds({{1, 2, 5, 5}, {3, 4, 5, 5}}, "UNIQUE"));
  CHECK(finds({{1, 9, 1, 10}, {2, 8, 10, 12}}, "UNIQUE"));
  CHECK(finds({{1, 9, 1, 100}, {2, 8, 50, 60}}, "UNIQUE"));
}

TEST_CASE("the checker finds a number that falls in real time") {
  CHECK(finds({{1, 2, 5, 5}, {3, 4, 4, 4}}, "ORDER"));
  CHECK(finds({{1, 2, 1, 9}, {3, 8, 20, 20}, {4, 5, 10, 10}, {6, 7, 8, 8}}, "ORDER"));
  CHECK_FALSE(finds({{1, 3, 5, 5}, {3, 4, 4, 4}}, "ORDER"));  // the same instant is no order
}

TEST_CASE("the checker finds numbers out of bounds") {
  CHECK(finds({{1, 2, 0, 0}}, "BOUNDED"));
  CHECK(finds({{1, 2, 5, 4}}, "BOUNDED"));
  CHECK(finds({{1, 2, 1, std::int64_t{1} << 53}}, "BOUNDED"));
}
