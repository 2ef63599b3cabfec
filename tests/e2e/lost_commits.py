"""A store that forgot what it had confirmed: an older copy of its files was put in place."""
import os
import shutil

from history import Load, check
from lab import MariaDb, Refused, Seqd, key, main, test, until

mariadb = MariaDb()
CONVERSATIONS = [f"team-{i}" for i in range(12)]
BUMP = 100_000


def daemon(store, **more):
    return Seqd(store, recovery={"rollback_bump": BUMP}, **more)


def copy_while_stopped(copy):
    """Copies the data directory."""
    mariadb.stop()
    shutil.copytree(mariadb.data, copy)
    mariadb.start()


def put_back(copy):
    mariadb.stop()
    shutil.rmtree(mariadb.data)
    shutil.move(copy, mariadb.data)
    mariadb.start()


def loses_commits(seqd, store, copy):
    """Puts the copy back under load; the living owner must notice and go on above everything."""
    with Load(lambda: [seqd.port], CONVERSATIONS, threads=8) as load:
        until(load.answered(2000), 60, "load")
        put_back(copy)
        seqd.wait_log(r"store\.lost_commits: ")
        seqd.wait_log(r"store\.lifted: ")
        until(load.answered(1000), 60, "load after the loss")
    assert load.unexpected() == [], load.unexpected()
    assert check(load.history, mariadb.ceilings(store)) == []
    info = seqd.info()
    assert info["lost_commits"] == 1 and info["invariant_violations"] == 0, info
    last = {conv: load.history.last(conv) for conv in CONVERSATIONS}
    assert seqd.term() == 0
    seqd.start()
    with seqd.client() as c:
        for conv, n in last.items():
            assert c.incr(conv) == n + 1, "a clean restart makes no gap, also after the lift"


@test
def a_living_owner_notices_that_its_stamp_went_back_and_goes_on_above_everything():
    store = mariadb.schema()
    copy = os.path.join(mariadb.dir, "copy")
    with daemon(store, lease={"ttl_ms": 30_000}).start() as seqd:
        with seqd.client() as c:
            for conv in CONVERSATIONS:
                c.incr(conv)
        copy_while_stopped(copy)
        loses_commits(seqd, store, copy)


@test
def a_living_owner_notices_that_the_store_does_not_know_it_at_all():
    store = mariadb.schema()
    copy = os.path.join(mariadb.dir, "copy")
    with daemon(store).start() as earlier:
        earlier.incr("old")
        assert earlier.term() == 0
    copy_while_stopped(copy)  # from before the owner registered
    with daemon(store, lease={"ttl_ms": 30_000}).start() as seqd:
        loses_commits(seqd, store, copy)


@test
def a_short_lease_that_lapses_while_the_copy_is_put_back_changes_nothing():
    store = mariadb.schema()
    copy = os.path.join(mariadb.dir, "copy")
    with daemon(store, lease={"ttl_ms": 500}).start() as seqd:
        with seqd.client() as c:
            for conv in CONVERSATIONS:
                c.incr(conv)
        copy_while_stopped(copy)
        loses_commits(seqd, store, copy)


@test
def a_conversation_that_memory_no_longer_knows_does_not_get_its_numbers_again():
    store = mariadb.schema()
    copy = os.path.join(mariadb.dir, "copy")
    with daemon(store, lease={"ttl_ms": 30_000}, segment={"max_resident": 50}).start() as seqd:
        with seqd.client() as c:
            assert c.incr("row-is-in-the-copy") == 1
        copy_while_stopped(copy)
        with seqd.client() as c:
            until(lambda: first_answer(c, "row-is-in-the-copy"), 20)
            assert c.incrby("row-is-in-the-copy", 5000) == 5002
            assert c.incrby("row-is-lost", 5000) == 5000
            for i in range(0, 400, 20):
                c.pipe([("INCR", key(f"other-{n}")) for n in range(i, i + 20)])
            until(lambda: seqd.info()["resident_conversations"] <= 50, 20, "idle conversations are released")
        put_back(copy)
        seqd.wait_log(r"store\.lifted: ")
        seqd.wait_role("owner")
        with seqd.client() as c:
            for conv, last in (("row-is-in-the-copy", 5002), ("row-is-lost", 5000)):
                number = until(lambda: first_answer(c, conv), 20)
                assert number > last, f"{conv} had numbers up to {last} before the loss, and now gets {number}"


def first_answer(client, conv):
    try:
        return client.incr(conv)
    except Refused as e:
        assert e.retryable, e.text
        return None


main()
