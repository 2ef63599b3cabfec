"""A conversation that has no row yet may still have messages: its numbers go on above them."""
import os

from lab import MariaDb, ROOT, Refused, Seqd, main, test

mariadb = MariaDb()
QUERY = "SELECT MAX(seq) FROM im_message WHERE conv_id = ?"
JUMP = 1000


def with_messages(*rows):
    """A schema with the message table of sql/im_message.sql, and messages (conversation, seq)."""
    store = mariadb.schema()
    with open(os.path.join(ROOT, "sql", "im_message.sql"), encoding="utf-8") as f:
        mariadb.sql(f.read(), store["schema"])
    add(store, *rows)
    return store


def add(store, *rows):
    for conv, seq in rows:
        mariadb.sql("INSERT INTO im_message (conv_id, seq, msg_id) SELECT "
                    f"x'{conv.encode().hex()}', {seq}, COALESCE(MAX(msg_id), 0) + 1 FROM im_message", store["schema"])


def daemon(store, **recovery):
    return Seqd(store, recovery={"history_query": QUERY, "jump": JUMP, **recovery}, lease={"ttl_ms": 500})


def rows_of(store, conv):
    return mariadb.sql(f"SELECT max_seq FROM seq_counter WHERE conv_id = x'{conv.encode().hex()}'", store["schema"])


@test
def the_first_number_lies_a_jump_above_the_highest_message():
    store = with_messages(("old", 7), ("old", 41), ("A", 500), ("群", 12))
    with daemon(store).start() as seqd, seqd.client() as c:
        assert c.incr("old") == 41 + JUMP + 1
        assert c.incr("A") == 500 + JUMP + 1
        assert c.incr("a") == 1, "a and A are two conversations"
        assert c.incr("群") == 12 + JUMP + 1
        assert c.incr("new") == 1, "without messages there is nothing to jump over"
        assert c.incrby("old", 10) == 41 + JUMP + 11
        assert seqd.info()["gap_numbers_lift"] >= 0
        assert seqd.term() == 0
    with daemon(store).start() as seqd:
        assert seqd.incr("old") == 41 + JUMP + 12, "known by its row from now on"


@test
def a_row_that_was_restored_from_before_the_messages_is_lifted():
    store = with_messages()
    with daemon(store).start() as seqd:
        assert seqd.incr("behind") == 1
        seqd.kill9()
        add(store, ("behind", 8000))
        seqd.start()
        assert seqd.incr("behind") > 8000


@test
def a_history_that_cannot_be_read_refuses_unknown_conversations_and_makes_no_row():
    store = with_messages(("known", 10))
    with daemon(store).start() as seqd, seqd.client() as c:
        assert c.incr("known") == 10 + JUMP + 1
        mariadb.sql("DROP TABLE im_message", store["schema"])
        for _ in range(3):
            try:
                raise AssertionError(f"INCR answered {c.incr('unknown')}")
            except Refused as e:
                assert e.retryable and "history" in e.text, e.text
        assert rows_of(store, "unknown") == [], "a row was made although the history could not be read"
        assert c.incr("known") == 10 + JUMP + 2, "known conversations go on"
        with open(os.path.join(ROOT, "sql", "im_message.sql"), encoding="utf-8") as f:
            mariadb.sql(f.read(), store["schema"])
        add(store, ("unknown", 20))
        assert c.incr("unknown") == 20 + JUMP + 1, "as soon as the history can be read again"


@test
def a_daemon_that_starts_without_the_message_table_refuses_but_serves_when_it_is_there():
    store = mariadb.schema()
    with daemon(store).start("listening") as seqd:
        with open(os.path.join(ROOT, "sql", "im_message.sql"), encoding="utf-8") as f:
            try:
                seqd.incr("x")
                raise AssertionError("a number without a history")
            except Refused as e:
                assert e.retryable, e.text
            mariadb.sql(f.read(), store["schema"])
        seqd.wait_role("owner")
        assert seqd.incr("x") == 1


@test
def with_assume_new_an_unreadable_history_is_passed_over():
    store = with_messages(("known", 10))
    mariadb.sql("DROP TABLE im_message", store["schema"])
    with daemon(store, assume_new=True).start() as seqd:
        assert seqd.incr("known") == 1
        assert rows_of(store, "known") != []


main()
