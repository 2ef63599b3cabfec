"""The store is away: paused, killed, read-only, not there yet."""
import time

from history import Load, check
from lab import MariaDb, Refused, Seqd, TcpProxy, free_port, key, main, test, until

mariadb = MariaDb()
CONVERSATIONS = [f"c-{i}" for i in range(16)]
WAIT_MS = 500
# A step that does not grow, so that an interval ends where the test expects it.
SMALL = {"step": 100, "max_step": 100, "cover_seconds": 1, "wait_ms": WAIT_MS}
LONG = {"ttl_ms": 30_000}  # the lease outlives the outage
SLACK = 0.3


def refusal(client, conv):
    """The error of an INCR, and how long it took."""
    begun = time.monotonic()
    try:
        raise AssertionError(f"INCR {conv} answered {client.incr(conv)}")
    except Refused as e:
        assert e.retryable, e.text
        return e.text, time.monotonic() - begun


def back_within(seqd, conv, seconds):
    """Waits for a number, and fails if that takes longer."""
    begun = time.monotonic()

    def ask():
        try:
            return seqd.incr(conv)
        except Refused as e:
            assert e.retryable, e.text
            return None
    until(ask, 20, "a number")
    took = time.monotonic() - begun
    assert took <= seconds, f"{took:.2f} s after the store's return"


@test
def a_paused_store_is_ridden_out_to_the_intervals_end_and_then_refused_in_time():
    store = mariadb.schema()
    with Seqd(store, segment=SMALL, lease=LONG).start() as seqd, seqd.client() as c:
        assert [c.incr("warm") for _ in range(10)] == list(range(1, 11))
        mariadb.sigstop()
        try:
            numbers = []
            while len(numbers) < 1000:
                begun = time.monotonic()
                try:
                    numbers.append(c.incr("warm"))
                except Refused as e:
                    took = time.monotonic() - begun
                    assert e.retryable, e.text
                    break
                assert time.monotonic() - begun < 0.2 + SLACK, "a warm conversation is not slowed down"
            assert numbers == list(range(11, 101)), (numbers[:1], numbers[-1:])
            assert took <= WAIT_MS / 1000 + SLACK, took
            for conv in ("warm", "cold-1", "cold-2"):
                text, took = refusal(c, conv)
                assert took <= WAIT_MS / 1000 + SLACK, (conv, took)
            until(lambda: seqd.info()["store_up"] == 0, 5, "the outage is known")
            for conv in ("warm", "cold-1", "cold-3"):
                text, took = refusal(c, conv)
                assert took <= SLACK, f"while the store is known to be away, {conv} was refused after {took:.2f} s only"
            assert c.call("PING") == "PONG"
        finally:
            mariadb.sigcont()
        back_within(seqd, "warm", 1 + SLACK)
        back_within(seqd, "cold-1", 1 + SLACK)
        assert seqd.incr("warm") > 101
        assert seqd.info()["store_up"] == 1


@test
def a_cold_conversation_does_not_hold_up_a_warm_one_on_another_connection():
    store = mariadb.schema()
    with Seqd(store, segment=SMALL, lease=LONG).start() as seqd, seqd.client() as warm, seqd.client() as cold:
        assert warm.incr("warm") == 1
        mariadb.sigstop()
        try:
            cold.send("INCR", key("cold"))
            for n in range(2, 12):
                begun = time.monotonic()
                assert warm.incr("warm") == n
                assert time.monotonic() - begun < SLACK
            assert isinstance(cold.read(), Refused)
        finally:
            mariadb.sigcont()


@test
def a_killed_store_comes_back_and_numbers_with_it():
    store = mariadb.schema()
    with Seqd(store, segment=SMALL, lease=LONG).start() as seqd:
        with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
            for _ in range(2):
                until(load.answered(500), 30, "load")
                mariadb.kill9()
                until(lambda: seqd.info()["store_up"] == 0, 10, "the outage is known")
                mariadb.start()
                back_within(seqd, "probe", 1 + SLACK)
            until(load.answered(500), 30, "load after the return")
        assert load.unexpected() == [], load.unexpected()
        assert check(load.history, mariadb.ceilings(store)) == []
        assert load.slowest <= WAIT_MS / 1000 + 1, load.slowest
        assert seqd.info()["lost_commits"] == 0
        assert seqd.term() == 0


@test
def an_owner_whose_lease_ran_out_in_the_outage_falls_silent_and_goes_on_afterwards():
    store = mariadb.schema()
    with Seqd(store, lease={"ttl_ms": 1000}).start() as seqd, seqd.client() as c:
        assert c.incr("warm") == 1
        mariadb.sigstop()
        try:
            until(lambda: seqd.info()["role"] != "owner", 10, "the lease lapses")
            text, took = refusal(c, "warm")
            assert "lease" in text and took <= WAIT_MS / 1000 + SLACK, (text, took)
            seqd.wait_log(r"lease\.lapsed")
        finally:
            mariadb.sigcont()
        back_within(seqd, "warm", 1 + SLACK)
        assert seqd.incr("warm") == 3, "nobody took over, so the interval is kept"
        assert seqd.info()["lease_lapses"] == 1


@test
def a_daemon_that_starts_before_its_store_listens_and_says_why_it_waits():
    store = dict(mariadb.schema())
    mariadb.stop()
    try:
        with Seqd(store).start("listening") as seqd, seqd.client() as c:
            assert c.call("PING") == "PONG"
            until(lambda: seqd.info()["store_trouble"], 5, "the reason is known")
            text, took = refusal(c, "early")
            assert "connect" in text.lower() and took <= WAIT_MS / 1000 + SLACK, (text, took)
            assert seqd.info()["role"] == "starting"
            seqd.wait_log(r"store\.not_ready: .*[Cc]onnect")
            mariadb.start()
            back_within(seqd, "early", 1 + SLACK)
            assert c.incr("early") == 2
            assert seqd.term() == 0
    finally:
        if mariadb.process.poll() is not None:
            mariadb.start()


@test
def a_daemon_ends_in_time_when_its_store_never_came():
    with Seqd({"driver": "mysql", "host": "127.0.0.1", "port": free_port(), "user": "seqd"}).start("listening") as seqd:
        begun = time.monotonic()
        assert seqd.term() == 0
        assert time.monotonic() - begun < 5


@test
def a_store_that_turns_read_only_in_mid_load_costs_nothing_but_retries():
    store = mariadb.schema()
    with Seqd(store, segment=SMALL, lease=LONG).start() as seqd:
        with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
            until(load.answered(500), 30, "load")
            mariadb.sql("SET GLOBAL read_only = 1")
            try:
                until(lambda: load.refusals, 10, "the load notices")
                until(lambda: "read" in seqd.info()["store_trouble"], 5, "the reason is shown")
            finally:
                mariadb.sql("SET GLOBAL read_only = 0")
            back_within(seqd, "probe", 1 + SLACK)
            until(load.answered(1000), 30, "load goes on")
        assert load.unexpected() == [], load.unexpected()
        assert check(load.history, mariadb.ceilings(store)) == []


def through(proxy, store):
    return {**store, "port": proxy.port}


@test
def a_network_to_the_store_that_swallows_everything_costs_no_hang():
    store = mariadb.schema()
    proxy = TcpProxy(mariadb.port)
    try:
        with Seqd(through(proxy, store), segment=SMALL, lease=LONG).start() as seqd, seqd.client() as c:
            assert [c.incr("warm") for _ in range(10)] == list(range(1, 11))
            proxy.freeze()
            assert [c.incr("warm") for _ in range(90)] == list(range(11, 101))
            for conv in ("cold", "warm"):
                text, took = refusal(c, conv)
                assert took <= WAIT_MS / 1000 + SLACK, (conv, took)
            proxy.cut()
            proxy.thaw()
            back_within(seqd, "cold", 1 + SLACK)
            assert c.incr("warm") > 100
    finally:
        proxy.close()


@test
def replies_of_the_store_that_come_late_or_never_keep_the_promise():
    store = mariadb.schema()
    proxy = TcpProxy(mariadb.port)
    try:
        with Seqd(through(proxy, store), segment=SMALL, lease={"ttl_ms": 2000}).start() as seqd:
            with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
                for _ in range(3):
                    until(load.answered(300), 30, "load")
                    proxy.freeze()
                    until(lambda: seqd.info()["store_up"] == 0, 10, "the outage is known")
                    proxy.thaw()  # what was swallowed arrives now: the statements of connections that are given up
                    until(load.answered(100), 30, "load after the thaw")
                    proxy.cut()
                proxy.delay = 0.02
                until(load.answered(300), 30, "load on a slow network")
            assert load.unexpected() == [], load.unexpected()
            assert check(load.history, mariadb.ceilings(store)) == []
            assert seqd.info()["invariant_violations"] == 0
    finally:
        proxy.close()


@test
def a_store_that_is_far_away_does_not_slow_down_warm_conversations():
    store = mariadb.schema()
    proxy = TcpProxy(mariadb.port)
    try:
        with Seqd(through(proxy, store), lease=LONG).start() as seqd, seqd.client() as c:
            assert c.incr("warm") == 1
            proxy.delay = 0.3
            begun = time.monotonic()
            assert [c.incr("warm") for _ in range(400)] == list(range(2, 402))
            assert time.monotonic() - begun < 2, "one wait for the store each would be minutes"
            proxy.delay = 0
            assert seqd.term() == 0
    finally:
        proxy.close()


@test
def connections_that_are_killed_again_and_again_cost_no_promise():
    store = mariadb.schema()
    with Seqd(store, segment=SMALL, lease={"ttl_ms": 2000}).start() as seqd:
        with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
            for _ in range(15):
                until(load.answered(100), 30, "load")
                for row in mariadb.sql("SELECT id FROM information_schema.processlist WHERE user = 'seqd'"):
                    mariadb.sql(f"KILL {row[0]}", check=False)  # it may be gone already
            until(load.answered(500), 30, "load goes on")
        assert load.unexpected() == [], load.unexpected()
        assert check(load.history, mariadb.ceilings(store)) == []


main()
