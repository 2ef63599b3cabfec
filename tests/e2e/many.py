"""Many conversations: idle ones are released, cold ones arrive all at once."""
import random
import threading

from lab import MariaDb, Refused, Seqd, key, main, program, run, sqlite_store, test, until

mariadb = MariaDb()


@test
def residents_are_bounded_and_an_idle_release_makes_no_gap():
    for store in (mariadb.schema(), sqlite_store()):
        with Seqd(store, segment={"max_resident": 100}).start() as seqd, seqd.client() as c:
            convs = [f"idle-{i}" for i in range(1000)]
            most = 0
            for round_ in range(1, 4):
                random.Random(round_).shuffle(convs)
                for at in range(0, 1000, 50):
                    some = convs[at:at + 50]
                    replies = c.pipe([("INCR", key(conv)) for conv in some])
                    assert replies == [round_] * 50, f"a gap in round {round_}: {list(zip(some, replies))}"
                    most = max(most, seqd.info()["resident_conversations"])
            assert most <= 300, f"{most} conversations were resident at a time"
            until(lambda: seqd.info()["resident_conversations"] <= 100, 10, "idle conversations are released")
            info = seqd.info()
            assert info["released_conversations"] >= 2700, info["released_conversations"]
            assert sum(v for k, v in info.items() if k.startswith("gap_numbers_")) == 0, info
            assert seqd.term() == 0


@test
def conversations_that_come_and_go_under_load_keep_count():
    store = mariadb.schema()
    with Seqd(store, segment={"max_resident": 50}).start() as seqd:
        got = {}
        troubles = []

        def take(number):
            rng = random.Random(number)
            mine = [f"t{number}-{i}" for i in range(60)]
            got[number] = {}
            try:
                with seqd.client() as c:
                    for _ in range(40):
                        conv = rng.choice(mine)
                        replies = c.pipe([("INCR", key(conv))] * rng.randint(1, 5))
                        for r in replies:
                            if isinstance(r, Refused):
                                raise r
                            assert r == got[number].get(conv, 0) + 1, (conv, r, got[number].get(conv))
                            got[number][conv] = r
            except Exception as e:  # shown by the assertion below
                troubles.append(repr(e))

        threads = [threading.Thread(target=take, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert troubles == [], troubles[:3]


def hundred_thousand_cold(store):
    with Seqd(store).start() as seqd:
        bad = []

        def take(part):
            try:
                with seqd.client(60) as c:
                    for at in range(0, 25_000, 500):
                        replies = c.pipe([("INCR", key(f"cold-{part}-{i}")) for i in range(at, at + 500)])
                        bad.extend(r for r in replies if r != 1)
            except Exception as e:  # shown by the assertion below
                bad.append(e)

        threads = [threading.Thread(target=take, args=(p,)) for p in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert bad == [], (len(bad), bad[0])
        assert seqd.info()["resident_conversations"] == 100_000
        assert seqd.term() == 0
        seqd.start()
        with seqd.client() as c:
            replies = c.pipe([("INCR", key(f"cold-{i % 4}-{i * 250}")) for i in range(100)])
            assert replies == [2] * 100, "released without a gap"


@test
def a_hundred_thousand_cold_conversations_all_get_their_first_number_from_mariadb():
    hundred_thousand_cold(mariadb.schema())


@test
def a_hundred_thousand_cold_conversations_all_get_their_first_number_from_sqlite():
    hundred_thousand_cold(sqlite_store())


@test
def redis_benchmark_over_a_hundred_thousand_cold_conversations_sees_no_error():
    with Seqd(mariadb.schema()).start() as seqd:
        report = run(program("redis-benchmark"), "-p", str(seqd.port), "-q", "-P", "16", "-n", "100000", "-r",
                     "100000000", "INCR", "seq:conv:__rand_int__").stdout
        assert "requests per second" in report and "rror" not in report, report
        info = seqd.info()
        assert info["issued_numbers"] == 100_000 and info["resident_conversations"] > 99_000, info


main()
