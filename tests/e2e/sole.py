"""A lease that does not lapse by time: the lock file of the host is what a second daemon needs."""
import atexit
import contextlib
import os
import time

from lab import MariaDb, Refused, Seqd, main, run, sqlite_store, test, until

mariadb = MariaDb()


def refused_by(seqd, conv):
    try:
        raise AssertionError(f"{seqd.address} answered {seqd.incr(conv)}")
    except Refused as e:
        assert e.retryable, e.text
        return e.text


def number_within(seqd, conv, seconds):
    def ask():
        try:
            return seqd.incr(conv)
        except Refused as e:
            assert e.retryable, e.text
            return None
    return until(ask, seconds, f"a number from {seqd.address}")


def forget_lock(owner):
    """The lock file of a sole owner on MySQL lies in /var/tmp and outlives it by design; a test leaves nothing behind."""
    folder = f"/proc/{owner.process.pid}/fd"
    for fd in os.listdir(folder):
        with contextlib.suppress(OSError):
            path = os.readlink(os.path.join(folder, fd))
            if "/seqd-sole-" in path:
                atexit.register(lambda: os.path.exists(path) and os.unlink(path))
                return
    raise AssertionError("a sole owner holds no lock file")


@test
def a_second_process_on_the_sqlite_file_stands_by_and_takes_over_at_once():
    store = sqlite_store()
    ttl = {"ttl_ms": 20_000}  # the lock is what counts, not the time
    with Seqd(store, lease=ttl).start() as first, Seqd(store, lease=ttl).start("standby") as second:
        assert first.incr("x") == 1
        assert first.address in refused_by(second, "x")
        first.kill9()
        number = number_within(second, "x", 3)
        assert number > 1
        with Seqd(store, lease=ttl).start("standby") as third:
            last = second.incr("x")
            assert second.address in refused_by(third, "x")
            assert second.term() == 0
            assert number_within(third, "x", 3) == last + 1, "a clean end makes no gap"


@test
def a_paused_sole_owner_on_sqlite_keeps_its_conversations():
    store = sqlite_store()
    with Seqd(store, lease={"ttl_ms": 500}).start() as first, Seqd(store, lease={"ttl_ms": 500}).start("standby") as second:
        assert first.incr("x") == 1
        first.sigstop()
        pause_of(1.5, second)
        first.sigcont()
        assert number_within(first, "x", 5) == 2


def pause_of(seconds, standby):
    """Three leases long, and all the while the stand-by must not take over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert standby.info()["role"] == "standby"
        refused_by(standby, "x")
        time.sleep(0.05)


@test
def a_sole_owner_on_mariadb_is_not_taken_over_by_time_but_at_once_when_it_is_dead():
    store = mariadb.schema()
    sole = {"ttl_ms": 500, "sole": True}
    with Seqd(store, lease=sole).start() as first, Seqd(store, lease=sole).start("standby") as second:
        assert first.incr("x") == 1
        forget_lock(first)
        first.sigstop()
        pause_of(2, second)
        first.sigcont()
        assert number_within(first, "x", 5) == 2
        first.kill9()
        begun = time.monotonic()
        assert number_within(second, "x", 3) > 2
        assert time.monotonic() - begun < 3


@test
def a_sole_owner_rides_out_an_outage_that_is_longer_than_its_lease():
    store = mariadb.schema()
    with Seqd(store, lease={"ttl_ms": 500, "sole": True}).start() as seqd, seqd.client() as c:
        assert c.incr("x") == 1
        forget_lock(seqd)
        mariadb.sigstop()
        try:
            end = time.monotonic() + 2
            n = 1
            while time.monotonic() < end:
                n += 1
                assert c.incr("x") == n
                time.sleep(0.02)
        finally:
            mariadb.sigcont()
        assert number_within(seqd, "x", 5) == n + 1
        assert number_within(seqd, "cold", 5) == 1


@test
def seqctl_takeover_takes_from_a_sole_owner_that_is_gone():
    store = mariadb.schema()
    sole = {"ttl_ms": 500, "sole": True}
    with Seqd(store, lease=sole).start() as first, Seqd(store, lease={"ttl_ms": 500}).start("standby") as second:
        assert first.incr("x") == 1
        forget_lock(first)
        first.kill9()
        pause_of(2, second)  # without the lock of the host, time proves nothing
        done = run(Seqd.ctl, "takeover", "--config", second.file, check=False)
        assert done.returncode != 0, "it asks for --force"
        run(Seqd.ctl, "takeover", "--force", "--config", second.file)
        assert number_within(second, "x", 5) > 1


main()
