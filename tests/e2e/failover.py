"""Two daemons on one store: one owns, the other stands by."""
import signal
import time

from history import History, Load, check
from lab import MariaDb, Refused, Seqd, TcpProxy, key, main, test, until

mariadb = MariaDb()
CONVERSATIONS = [f"room-{i}" for i in range(12)]


def pair(ttl_ms=1000, **config):
    """An owner and a stand-by, started in this order."""
    store = mariadb.schema()
    config = {"lease": {"ttl_ms": ttl_ms}, **config}
    return Seqd(store, node={"id": "first"}, **config), Seqd(store, node={"id": "second"}, **config), store


def first_number(seqd, conv, seconds=20.0):
    """Asks until a number is answered; answers it and when that was."""
    def ask():
        try:
            return seqd.incr(conv)
        except Refused as e:
            assert e.retryable, e.text
            return None
    number = until(ask, seconds, f"a number from {seqd.address}")
    return number, time.monotonic()


@test
def a_standby_names_the_owner_and_its_address():
    first, second, _ = pair()
    with first.start(), second.start("standby"):
        assert first.incr("x") == 1
        for command in (("INCR", key("x")), ("INCRBY", key("x"), 5), ("GET", key("x"))):
            try:
                second.call(*command)
                raise AssertionError(f"a stand-by answered {command}")
            except Refused as e:
                assert e.retryable and first.address in e.text and "first" in e.text, e.text
        assert second.call("PING") == "PONG"
        assert second.info()["owner_address"] == first.address
        assert second.info()["slots_owned"] == 0 and first.info()["slots_owned"] == 1024
        assert first.incr("x") == 2


@test
def after_a_kill_the_standby_takes_over_when_the_lease_has_run_out():
    first, second, store = pair(1000)
    with first.start(), second.start("standby"):
        with Load(lambda: [first.port, second.port], CONVERSATIONS, threads=8) as load:
            until(load.answered(500), 30, "load")
            first.kill9()
            begun = time.monotonic()
            _, at = first_number(second, "probe")
            until(load.answered(500), 30, "load after the take-over")
        # The last beat was up to a fifth of the TTL old when the owner died, and the watch may have begun with it.
        assert 0.75 <= at - begun <= 1.1 + 2, at - begun
        assert load.unexpected() == [] and check(load.history, mariadb.ceilings(store)) == []
        assert second.info()["takeovers"] == 1


@test
def after_a_clean_end_the_standby_takes_over_at_once_and_without_a_gap():
    first, second, store = pair(10_000)  # by time it would take 11 s
    with first.start(), second.start("standby"):
        last = {}
        with first.client() as c:
            for i, conv in enumerate(CONVERSATIONS):
                last[conv] = c.incrby(conv, 10 * i + 1)
        begun = time.monotonic()
        first.signal(signal.SIGTERM)
        number, at = first_number(second, CONVERSATIONS[0])
        assert at - begun < 1, at - begun
        assert number == last[CONVERSATIONS[0]] + 1
        with second.client() as c:
            for conv in CONVERSATIONS[1:]:
                assert c.incr(conv) == last[conv] + 1, conv
        assert first.wait_exit() == 0


@test
def a_clean_hand_over_under_load_keeps_the_promise_and_makes_no_gap():
    first, second, store = pair(10_000)
    with first.start(), second.start("standby"):
        with Load(lambda: [first.port, second.port], CONVERSATIONS) as load:
            until(load.answered(1000), 30, "load")
            assert first.term() == 0
            until(load.answered(1000), 30, "load at the second")
        assert load.unexpected() == [] and check(load.history, mariadb.ceilings(store)) == []
        for conv in CONVERSATIONS:
            assert load.history.last(conv) == load.history.numbers(conv), f"{conv} has a gap"


@test
def requests_that_wait_in_the_socket_of_a_paused_owner_get_no_number():
    first, second, store = pair(1000)
    with first.start(), second.start("standby"):
        history = History()
        with Load(lambda: [first.port, second.port], CONVERSATIONS, threads=8, history=history, patience=0.5) as load:
            until(load.answered(500), 30, "load")
            queued = [first.client() for _ in range(8)]
            for c in queued:
                c.incr("queued")  # the connection is established in every sense
            first.sigstop()
            stopped = time.monotonic()
            sent = time.monotonic_ns()
            for c in queued:
                for conv in ["queued"] + CONVERSATIONS[:5]:
                    c.send("INCR", key(conv))
            second.wait_role("owner")
            taken_over = time.monotonic()
            until(lambda: time.monotonic() - stopped > 3, 10)
            until(load.answered(200), 30, "load at the second")
            first.sigcont()
            numbers = 0
            for c in queued:
                for conv in ["queued"] + CONVERSATIONS[:5]:
                    reply = c.read()
                    if isinstance(reply, Refused):
                        assert reply.retryable, reply.text
                    else:
                        numbers += 1
                        history.add(conv, sent, time.monotonic_ns(), reply, reply)
                c.close()
            assert numbers == 0, f"{numbers} requests got a number from an owner whose lease had lapsed"
            first.wait_role("standby")
            until(load.answered(300), 30, "load goes on")
        assert taken_over - stopped >= 0.75, taken_over - stopped
        assert load.unexpected() == [] and check(history, mariadb.ceilings(store)) == []
        assert len([line for line in first.log().splitlines() if "owner.enrolled" in line]) == 2, "it registers anew"
        assert "lease.fenced" in first.log()

        # And the way back: the one that was fenced takes over with numbers above everything.
        with Load(lambda: [first.port, second.port], CONVERSATIONS, threads=8, history=history, patience=0.5) as load:
            second.kill9()
            first.wait_role("owner")
            until(load.answered(500), 30, "load at the first again")
        assert load.unexpected() == [] and check(history, mariadb.ceilings(store)) == []
        assert first.info()["invariant_violations"] == 0


@test
def a_pause_of_half_the_lease_changes_nothing():
    first, second, store = pair(4000)
    with first.start(), second.start("standby"):
        assert first.incr("x") == 1
        epochs = mariadb.sql("SELECT MIN(epoch), MAX(epoch) FROM seq_slot", store["schema"])
        first.sigstop()
        time.sleep(2)  # the pause itself
        first.sigcont()
        assert first_number(first, "x")[0] == 2
        assert second.info()["role"] == "standby"
        assert mariadb.sql("SELECT MIN(epoch), MAX(epoch) FROM seq_slot", store["schema"]) == epochs


@test
def owners_that_are_paused_in_turn_keep_the_promise():
    first, second, store = pair(500)
    with first.start(), second.start("standby"):
        with Load(lambda: [first.port, second.port], CONVERSATIONS, threads=8, patience=0.5) as load:
            owner, other = first, second
            for _ in range(4):
                until(load.answered(300), 30, "load")
                owner.sigstop()
                other.wait_role("owner")
                until(load.answered(100), 30, "load at the other")
                owner.sigcont()
                owner.wait_role("standby")
                owner, other = other, owner
        assert load.unexpected() == [] and check(load.history, mariadb.ceilings(store)) == []
        assert first.info()["invariant_violations"] == 0 and second.info()["invariant_violations"] == 0


@test
def an_owner_that_is_cut_off_from_the_store_falls_silent_before_the_other_begins():
    store = mariadb.schema()
    proxy = TcpProxy(mariadb.port)
    try:
        with Seqd({**store, "port": proxy.port}, node={"id": "first"}).start() as first, \
                Seqd(store, node={"id": "second"}).start("standby") as second:
            with Load(lambda: [first.port, second.port], CONVERSATIONS, threads=8, patience=0.5) as load:
                until(load.answered(500), 30, "load")
                proxy.freeze()  # its clients still reach it
                second.wait_role("owner")
                assert first.info()["role"] != "owner", "two owners at a time"
                until(load.answered(500), 30, "load at the second")
                proxy.cut()
                proxy.thaw()
                first.wait_role("standby")
                until(load.answered(300), 30, "load goes on")
            assert load.unexpected() == [] and check(load.history, mariadb.ceilings(store)) == []
            assert first.info()["invariant_violations"] == 0
    finally:
        proxy.close()


@test
def a_daemon_with_another_key_prefix_refuses_to_start_and_names_both():
    first, second, _ = pair()
    second.config["resp"]["key_prefix"] = "other:"
    with first.start(), second.start(""):
        assert second.wait_exit() == 78
        mismatch = [line for line in second.log().splitlines() if "store.mismatch" in line]
        assert len(mismatch) == 1 and "seq:conv:" in mismatch[0] and "other:" in mismatch[0], second.log()
        assert first.incr("x") == 1


main()
