"""Real clients take numbers from the real daemon, on MariaDB and on SQLite."""
import os

import redis

from lab import MariaDb, Seqd, key, main, program, run, sqlite_store, temp_dir, test

mariadb = MariaDb()


def each_store():
    return mariadb.schema(), sqlite_store()


def cli(seqd, *args, text=None):
    return run(program("redis-cli"), "-p", str(seqd.port), *args, text=text).stdout


def benchmark(seqd, *args):
    return run(program("redis-benchmark"), "-p", str(seqd.port), *args).stdout


@test
def redis_cli_takes_numbers_one_by_one_piped_and_in_resp3():
    for store in each_store():
        with Seqd(store).start() as seqd:
            assert cli(seqd, "PING") == "PONG\n"
            assert cli(seqd, "INCR", "seq:conv:hello") == "1\n"
            assert cli(seqd, "INCRBY", "seq:conv:hello", "10") == "11\n"
            assert cli(seqd, "GET", "seq:conv:hello") == "11\n"
            assert cli(seqd, "GET", "seq:conv:never") == "\n"
            assert cli(seqd, "-3", "INCR", "seq:conv:hello") == "12\n"
            assert "seqd_role:owner" in cli(seqd, "-3", "INFO", "seqd")
            piped = cli(seqd, text="INCR seq:conv:piped\n" * 500)
            assert piped.split() == [str(i) for i in range(1, 501)]
            done = cli(seqd, "--pipe", text="INCR seq:conv:mass\r\n" * 1000)
            assert "errors: 0, replies: 1000" in done, done
            assert cli(seqd, "INCR", "seq:conv:mass") == "1001\n"
            assert cli(seqd, "-r", "5", "INCR", "seq:conv:again").split() == ["1", "2", "3", "4", "5"]
            assert seqd.term() == 0


@test
def redis_benchmark_gets_every_number_that_it_asked_for():
    for store in each_store():
        with Seqd(store).start() as seqd:
            report = benchmark(seqd, "-q", "-n", "20000", "INCR", "seq:conv:one")
            assert "requests per second" in report and "rror" not in report, report
            report = benchmark(seqd, "-q", "-P", "16", "-n", "200000", "-r", "10000", "INCR", "seq:conv:__rand_int__")
            assert "requests per second" in report and "rror" not in report, report
            with seqd.client() as c:
                assert c.incr("one") == 20001, "20,000 numbers without a gap"
                issued = 0
                convs = [f"{i:012d}" for i in range(10000)]
                for at in range(0, len(convs), 500):
                    replies = c.pipe([("GET", key(conv)) for conv in convs[at:at + 500]])
                    issued += sum(int(r) for r in replies if r is not None)
            assert issued == 200_000, issued
            assert seqd.info()["issued_numbers"] == 220_001
            assert seqd.info()["invariant_violations"] == 0
            assert seqd.term() == 0


@test
def redis_benchmark_with_tests_by_name_and_threads_goes_on_from_the_last_number():
    for store in each_store():
        with Seqd(store).start() as seqd:
            for round_ in (1, 2):
                report = benchmark(seqd, "-q", "--threads", "2", "-c", "20", "-P", "8", "-n", "16000", "INCRBY",
                                   "seq:conv:batch", "3")
                assert "requests per second" in report and "rror" not in report, report
                assert int(seqd.call("GET", "seq:conv:batch")) == 48_000 * round_
            report = benchmark(seqd, "-q", "-t", "ping", "-n", "2000")
            assert "PING" in report and "rror" not in report, report


@test
def redis_py_takes_numbers_in_all_its_ways():
    for store in each_store():
        with Seqd(store).start() as seqd:
            plain = redis.Redis(port=seqd.port)
            assert plain.ping() is True
            assert plain.incr("seq:conv:py") == 1
            assert plain.incr("seq:conv:py", 9) == 10
            assert plain.incrby("seq:conv:py", 5) == 15
            assert plain.get("seq:conv:py") == b"15"
            assert plain.get("seq:conv:unknown") is None
            text = redis.Redis(port=seqd.port, decode_responses=True, client_name="e2e", health_check_interval=1)
            assert text.get("seq:conv:py") == "15"
            assert text.incr("seq:conv:群聊") == 1
            assert text.get("seq:conv:群聊") == "1"
            for transaction in (True, False):
                before = plain.incr("seq:conv:pipe")
                with plain.pipeline(transaction=transaction) as p:
                    for _ in range(300):
                        p.incr("seq:conv:pipe")
                    p.incrby("seq:conv:pipe", 20).get("seq:conv:pipe")
                    replies = p.execute()
                assert replies[:300] == list(range(before + 1, before + 301)), replies[:5]
                assert replies[300] == before + 320 and replies[301] == str(before + 320).encode()
            try:
                plain.delete("seq:conv:py")
                raise AssertionError("DEL was accepted")
            except redis.ResponseError as e:
                assert "refused" in str(e), e
            assert plain.incr("seq:conv:py") == 16, "a refused command changes nothing"
            assert plain.info("seqd")["seqd_role"] == "owner"


@test
def a_client_must_know_the_password_where_there_is_one():
    secret = os.path.join(temp_dir("secret"), "password")
    with open(secret, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write("s e:cr@et\n")
    with Seqd(sqlite_store(), resp={"password_file": secret}).start("listening") as seqd:
        seqd.wait_log(r"lease\.gained")
        assert "NOAUTH" in cli(seqd, "INCR", "seq:conv:x")
        wrong = run(program("redis-cli"), "-p", str(seqd.port), "--no-auth-warning", "-a", "wrong", "INCR", "seq:conv:x")
        assert "WRONGPASS" in wrong.stderr and "NOAUTH" in wrong.stdout, (wrong.stdout, wrong.stderr)
        assert cli(seqd, "--no-auth-warning", "-a", "s e:cr@et", "INCR", "seq:conv:x") == "1\n"
        assert redis.Redis(port=seqd.port, password="s e:cr@et").incr("seq:conv:x") == 2
        try:
            redis.Redis(port=seqd.port).incr("seq:conv:x")
            raise AssertionError("a number without the password")
        except redis.AuthenticationError:
            pass


@test
def redis_py_pool_of_threads_gets_different_numbers_without_a_gap():
    from concurrent.futures import ThreadPoolExecutor
    for store in each_store():
        with Seqd(store).start() as seqd:
            client = redis.Redis(port=seqd.port)
            with ThreadPoolExecutor(12) as pool:
                got = list(pool.map(lambda _: client.incr("seq:conv:pool"), range(3000)))
            assert sorted(got) == list(range(1, 3001))


main()
