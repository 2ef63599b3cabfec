"""The tests of the checker: a suite whose checker passes these histories proves nothing."""
import random
import time

from history import History, MAX_SEQ, check, check_one
from lab import main, test


def kinds(ops, **more):
    return {text.split(":")[0] for text in check_one(ops, **more)}


@test
def good_histories_pass():
    assert kinds([]) == set()
    assert kinds([(0, 1, 1, 1), (2, 3, 2, 2), (4, 5, 10, 14)]) == set(), "gaps are allowed"
    assert kinds([(0, 10, 2, 2), (1, 9, 1, 1)]) == set(), "requests that overlap may be answered in any order"
    assert kinds([(0, 5, 2, 2), (5, 9, 1, 1)]) == set(), "answered and sent in the same instant overlap"


@test
def a_number_that_was_given_twice_is_found():
    assert "UNIQUE" in kinds([(0, 10, 7, 7), (1, 9, 7, 7)])
    assert "UNIQUE" in kinds([(0, 1, 1, 1), (2, 3, 2, 2), (4, 5, 2, 2)])


@test
def a_number_that_falls_in_real_time_is_found():
    assert kinds([(0, 1, 5, 5), (2, 3, 4, 4)]) == {"ORDER"}
    assert kinds([(0, 1, 5, 5), (0, 9, 9, 9), (2, 3, 4, 4)]) == {"ORDER"}


@test
def a_fall_behind_a_request_that_is_still_running_is_found():
    # The long request began first; only the two short ones violate the order.
    assert kinds([(0, 100, 1, 1), (1, 2, 50, 50), (3, 4, 49, 49)]) == {"ORDER"}


@test
def batches_that_overlap_are_found():
    assert "UNIQUE" in kinds([(0, 10, 1, 10), (1, 9, 10, 12)])
    assert "UNIQUE" in kinds([(0, 10, 1, 100), (1, 9, 50, 60)]), "one inside the other"
    assert "UNIQUE" in kinds([(0, 10, 1, 100), (1, 9, 2, 3), (1, 9, 50, 60)])


@test
def a_batch_that_begins_below_a_finished_one_is_found():
    assert kinds([(0, 1, 50, 60), (2, 3, 40, 49)]) == {"ORDER"}


@test
def numbers_beyond_their_bounds_are_found():
    assert kinds([(0, 1, 0, 0)]) >= {"BOUNDED"}
    assert kinds([(0, 1, -3, -3)]) >= {"BOUNDED"}
    assert kinds([(0, 1, MAX_SEQ + 1, MAX_SEQ + 1)]) == {"BOUNDED"}
    assert kinds([(0, 1, 1, 11)], ceiling=10) == {"BOUNDED"}
    assert kinds([(0, 1, 1, 10)], ceiling=10) == set()


@test
def conversations_are_told_apart():
    history = History()
    history.add("a", 0, 1, 1, 1)
    history.add("b", 2, 3, 1, 1)
    assert check(history) == []
    history.add("b", 4, 5, 1, 1)
    assert len(check(history)) == 2 and all(text.startswith("b: ") for text in check(history))
    assert any("no row" in text for text in check(history, {"b": 10})), "a number without a row in the store"


@test
def one_bad_operation_is_found_wherever_it_stands_among_many():
    rng = random.Random(1)
    good = []
    seq = 0
    for i in range(2000):
        n = rng.randint(1, 5)
        good.append((10 * i, 10 * i + rng.randint(1, 40), seq + 1, seq + n))
        seq += n + rng.randint(0, 1)
    assert check_one(good) == []
    for _ in range(200):
        at = rng.randrange(10, len(good))
        twice = list(good)
        twice[at] = twice[at][:2] + good[rng.randrange(0, at)][2:]
        assert any(text.startswith("UNIQUE") for text in check_one(twice))
        late = list(good)
        early = good[rng.randrange(0, at)]
        late.append((good[at][1] + 100, good[at][1] + 101, early[3], early[3]))
        assert any(text.startswith("ORDER") for text in check_one(late))


@test
def two_hundred_thousand_operations_are_checked_in_seconds():
    ops = [(2 * i, 2 * i + 1, i + 1, i + 1) for i in range(200_000)]
    random.Random(2).shuffle(ops)
    begun = time.monotonic()
    assert check_one(ops) == []
    assert time.monotonic() - begun < 20


main()
