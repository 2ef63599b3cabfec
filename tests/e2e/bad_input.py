"""What a client may send, and what it is told when it may not."""
import threading
import time

from history import History, MAX_SEQ, check
from lab import MariaDb, Refused, Seqd, key, main, sqlite_store, test

mariadb = MariaDb()
MAX_BATCH = 5000

BAD_IDS = [b"", b"x" * 65, "é".encode() * 33, b"a\x00", b"\x00", b"a\nb", b"a\rb", b"\x1f", b"\x7f", b"tab\there",
           b"\xff\xfe", b"a\x80", b"\xc3", b"\xc0\xaf", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
           b"\xf0\x9f\x98", b"ok\xf0\x9f\x98\x80\xff"]
# Pairs that some collation takes for equal.
DISTINCT = [b"a", b"A", "á".encode(), b"a ", b" a", b"a  ", "😀".encode(), "😁".encode(), "ß".encode(), b"ss", "é".encode(),
            "e\u0301".encode(), "ı".encode(), b"i", b"I", "İ".encode(), b"0", b"00", "ａ".encode(), b"%", b"_", b"'", b"\\",
            b"\"", b"a'; DROP TABLE seq_counter; --", "群".encode(), b"{a}", b"{a}b", b"x" * 64, "😀".encode() * 16, b"NULL"]


def each_store():
    return mariadb.schema(), sqlite_store()


def refusal(client, *command):
    try:
        got = client.call(*command)
    except Refused as e:
        return e.text
    raise AssertionError(f"{command!r} was accepted: {got!r}")


def is_sentence(text):
    """One line that people can read: printable ASCII, several words."""
    return text.isascii() and text.isprintable() and len(text.split()) >= 4 and len(text) < 500


@test
def invalid_conversation_ids_are_refused_with_a_sentence():
    for store in each_store():
        with Seqd(store).start() as seqd, seqd.client() as c:
            for bad in BAD_IDS:
                for command in (("INCR", key(bad)), ("INCRBY", key(bad), 2), ("GET", key(bad))):
                    text = refusal(c, *command)
                    assert text.startswith("ERR invalid conversation id"), (command, text)
                    assert is_sentence(text), text
            for foreign in (b"other:key", b"seq:con", b"", b"SEQ:CONV:a", b"seq:conv"):
                assert refusal(c, "INCR", foreign).startswith("ERR invalid conversation id"), foreign
            assert c.incr(b"x" * 64) == 1, "64 bytes are allowed"
            assert c.incr("😀".encode() * 16) == 1
            assert seqd.info()["resident_conversations"] == 2, "nothing is kept for a refused id"


@test
def ids_of_different_bytes_are_different_conversations_before_and_after_a_restart():
    for store in each_store():
        with Seqd(store).start() as seqd:
            for round_ in (1, 2):
                with seqd.client() as c:
                    for i, conv in enumerate(DISTINCT):
                        before = (i + 1) * (round_ - 1)
                        for n in range(1, i + 2):
                            assert c.incr(conv) == before + n, (conv, round_)
                    for i, conv in enumerate(DISTINCT):
                        assert c.call("GET", key(conv)) == str((i + 1) * round_).encode(), conv
                assert seqd.term() == 0
                seqd.start()


@test
def counts_that_are_no_count_are_refused_and_take_no_number():
    for store in each_store():
        with Seqd(store, segment={"max_batch": MAX_BATCH}).start() as seqd, seqd.client() as c:
            assert c.incr("c") == 1
            for count in (0, -1, MAX_BATCH + 1, 2**31, 2**63 - 1, -2**63):
                text = refusal(c, "INCRBY", "seq:conv:c", count)
                assert text.startswith("ERR count out of range") and str(MAX_BATCH) in text and is_sentence(text), text
            for count in (b"", b"abc", b"1.5", b"1e3", b"+5", b" 5", b"5 ", b"007", b"-0", b"0x10", b"5\x00", b"\xff",
                          b"9223372036854775808", b"99999999999999999999", "５".encode()):
                text = refusal(c, "INCRBY", "seq:conv:c", count)
                assert text == "ERR value is not an integer or out of range", (count, text)
            for command in (("INCR",), ("INCR", "a", "b"), ("INCRBY", "seq:conv:c"), ("INCRBY", "seq:conv:c", "1", "2"),
                            ("GET",)):
                assert "wrong number of arguments" in refusal(c, *command)
            assert c.incr("c") == 2, "nothing was taken"
            assert c.incrby("c", MAX_BATCH) == 2 + MAX_BATCH
            assert c.incr("c") == 3 + MAX_BATCH


@test
def a_batch_is_one_contiguous_run_that_nobody_else_gets_a_number_of():
    for store in each_store():
        with Seqd(store, segment={"max_batch": MAX_BATCH, "step": 100}).start() as seqd:
            history = History()
            troubles = []

            def take(size):
                try:
                    with seqd.client() as c:
                        for _ in range(60):
                            sent = time.monotonic_ns()
                            hi = c.incrby("shared", size)
                            history.add("shared", sent, time.monotonic_ns(), hi - size + 1, hi)
                except Exception as e:  # shown by the assertion below
                    troubles.append(repr(e))

            threads = [threading.Thread(target=take, args=(n,)) for n in (1, 1, 7, 99, 100, 101, 250, MAX_BATCH)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            assert troubles == []
            assert check(history) == []
            gaps = sum(v for k, v in seqd.info().items() if k.startswith("gap_numbers_"))
            assert history.last("shared") - history.numbers("shared") <= gaps, "a skipped rest is a counted gap"


@test
def a_conversation_at_the_end_of_its_numbers_is_exhausted_alone():
    for store in each_store():
        with Seqd(store, segment={"max_batch": MAX_BATCH}).start() as seqd:
            with seqd.client() as c:
                assert [c.incr(conv) for conv in ("end", "other", "near")] == [1, 1, 1]
            assert seqd.term() == 0
            change = ("UPDATE seq_counter SET max_seq = {0}, cur_seq = {0} WHERE conv_id = {1}")
            for conv, left in (("end", 3), ("near", 10)):
                literal = f"x'{conv.encode().hex()}'"
                statement = change.format(MAX_SEQ - left, literal)
                if store["driver"] == "mysql":
                    mariadb.sql(statement, store["schema"])
                else:
                    import sqlite3
                    with sqlite3.connect(store["path"]) as db:
                        assert db.execute(statement).rowcount == 1
                    db.close()
            seqd.start()
            with seqd.client() as c:
                assert "fewer numbers are left" in refusal(c, "INCRBY", key("near"), 11)
                assert c.incrby("near", 10) == MAX_SEQ
                assert [c.incr("end") for _ in range(3)] == [MAX_SEQ - 2, MAX_SEQ - 1, MAX_SEQ]
                for conv in ("end", "near"):
                    for _ in range(3):
                        text = refusal(c, "INCR", key(conv))
                        assert "exhausted" in text and is_sentence(text) and not text.startswith("TRYAGAIN"), text
                assert c.call("GET", key("end")) == str(MAX_SEQ).encode()
                assert c.incr("other") == 2 and c.incr("fresh") == 1, "the others go on"
            assert seqd.info()["store_up"] == 1
            assert seqd.term() == 0
            seqd.start()
            with seqd.client() as c:
                assert "exhausted" in refusal(c, "INCR", key("end")), "also after a restart"
                assert c.incr("other") == 3


@test
def a_broken_request_between_good_ones_of_a_pipeline_spoils_only_itself():
    with Seqd(sqlite_store()).start() as seqd, seqd.client() as c:
        replies = c.pipe([("INCR", key("p")), ("INCR", key(b"\xff")), ("INCRBY", key("p"), 0), ("INCR", key("p")),
                          ("NOSUCH", b"\r\nraw"), ("DEL", key("p")), ("incrby", key("p"), 2)])
        assert [r for r in replies if isinstance(r, int)] == [1, 2, 4]
        errors = [r.text for r in replies if isinstance(r, Refused)]
        assert len(errors) == 4 and all(e.isprintable() for e in errors), errors


main()
