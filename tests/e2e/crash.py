"""The daemon is killed or ended under load, and goes on where it may."""
import time

from history import Load, check
from lab import MariaDb, Seqd, main, sqlite_store, test, until

mariadb = MariaDb()
CONVERSATIONS = [f"group-{i}" for i in range(24)]


@test
def numbers_stay_unique_and_rising_through_five_kills_under_load():
    store = mariadb.schema()
    with Seqd(store, lease={"ttl_ms": 500}, segment={"step": 50, "cover_seconds": 1}).start() as seqd:
        with Load(lambda: [seqd.port], CONVERSATIONS) as load:
            for _ in range(5):
                until(load.answered(1500), 60, "load goes on")
                seqd.kill9()
                seqd.start()
            until(load.answered(1500), 60, "load goes on")
        info = seqd.info()
        assert info["invariant_violations"] == 0 and info["gap_numbers_crash"] > 0, info
        assert load.unexpected() == [], load.unexpected()
        assert check(load.history, mariadb.ceilings(store)) == []
        assert len(load.history.operations) == len(CONVERSATIONS)
        assert seqd.term() == 0


@test
def the_gap_of_a_kill_is_at_most_what_was_reserved_and_is_counted():
    store = mariadb.schema()
    with Seqd(store, lease={"ttl_ms": 500}).start() as seqd:
        last = {}
        with seqd.client() as c:
            for i, conv in enumerate(CONVERSATIONS):
                last[conv] = c.incrby(conv, 37 * i + 1)
        until(lambda: seqd.info()["store_units_ok"] > 0)
        seqd.kill9()
        ceilings = mariadb.ceilings(store)
        seqd.start()
        gaps = 0
        with seqd.client() as c:
            assert "crash" in expect_unknown(c), "nobody knows the last issued number after a crash"
            for conv in CONVERSATIONS:
                got = c.incr(conv)
                assert last[conv] < got <= ceilings[conv] + 1, (conv, last[conv], got, ceilings[conv])
                gaps += got - last[conv] - 1
        counted = seqd.info()["gap_numbers_crash"]
        reserved = sum(ceilings[conv] - last[conv] for conv in CONVERSATIONS)
        assert 0 < gaps <= counted, (gaps, counted)
        assert gaps <= reserved, (gaps, reserved)


def expect_unknown(client):
    from lab import Refused, key
    try:
        return f"GET answered {client.call('GET', key(CONVERSATIONS[0]))!r}"
    except Refused as e:
        return e.text


@test
def a_clean_end_under_load_makes_no_gap():
    for store in (mariadb.schema(), sqlite_store()):
        with Seqd(store).start() as seqd:
            port = seqd.port
            with Load(lambda: [port], CONVERSATIONS) as load:
                for _ in range(2):
                    until(load.answered(2000), 60, "load goes on")
                    begun = time.monotonic()
                    assert seqd.term() == 0
                    assert time.monotonic() - begun < 10, "it ended, but late"
                    if _ == 0:
                        seqd.config["resp"]["listen"] = f"127.0.0.1:{port}"
                        seqd.start()
            assert load.unexpected() == [], load.unexpected()
            assert check(load.history) == []
            for conv in CONVERSATIONS:
                assert load.history.last(conv) == load.history.numbers(conv), f"{conv} has a gap between answers"
            seqd.start()
            with seqd.client() as c:
                for conv in CONVERSATIONS:
                    assert c.incr(conv) == load.history.last(conv) + 1, f"{conv} has a gap after the restart"


@test
def sqlite_keeps_the_promise_through_kills_as_well():
    with Seqd(sqlite_store(), segment={"step": 50, "cover_seconds": 1}).start() as seqd:
        with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
            for _ in range(3):
                until(load.answered(1000), 60, "load goes on")
                seqd.kill9()
                seqd.start()
            until(load.answered(500), 60, "load goes on")
        assert load.unexpected() == [], load.unexpected()
        assert check(load.history) == []


main()
