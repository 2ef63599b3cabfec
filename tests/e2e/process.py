"""The program itself: its options, its exit codes, how it starts and ends."""
import os
import re
import signal
import socket
import time

from lab import MariaDb, ROOT, Seqd, main, run, sqlite_store, temp_dir, test, until

EXIT_CONFIG = 78


def seqd(*args, check=True):
    return run(Seqd.binary, *args, check=check)


def written(text):
    path = os.path.join(temp_dir("config"), "my.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


@test
def version_and_help_are_printed():
    assert re.fullmatch(r"seqd \d+\.\d+\.\d+\S*\n", seqd("--version").stdout)
    shown = seqd("--help").stdout
    for option in ("--config", "--check-config", "--print-config", "--version"):
        assert option[2:] in shown, option


@test
def an_unknown_option_or_argument_is_refused():
    for args in (["--nonsense"], ["serve"], ["--config"]):
        done = seqd(*args, check=False)
        assert done.returncode not in (0, -6, -11), (args, done.returncode)
        assert (done.stderr + done.stdout).strip(), args


@test
def check_config_accepts_the_manual_and_good_files():
    done = seqd("--config", os.path.join(ROOT, "conf", "seqd.yaml"), "--check-config")
    assert "good" in done.stdout
    assert "good" in seqd("--check-config").stdout
    assert "good" in seqd("--config", written("segment:\n  step: 10\n"), "--check-config").stdout


@test
def check_config_tells_all_that_is_wrong_with_file_line_and_column():
    path = written("segment:\n  step: 0\n  stpe: 5\nlease:\n  ttl_ms: 10\nnope: 1\nlog:\n  level: loud\n")
    done = seqd("--config", path, "--check-config", check=False)
    assert done.returncode == EXIT_CONFIG
    for line, column in ((2, 9), (3, 3), (5, 11), (6, 1), (8, 10)):
        assert f"{path}:{line}:{column}:" in done.stderr, (line, column, done.stderr)
    for text in ("a: [", "a: b: c", "\t- x", "- 1\n- 2\n", "segment: 5\n", "segment:\n  step: 1\n  step: 2\n"):
        path = written(text)
        done = seqd("--config", path, "--check-config", check=False)
        assert done.returncode == EXIT_CONFIG and re.search(re.escape(path) + r":\d+:\d+: \S+ \S+", done.stderr), (text, done.stderr)
    missing = seqd("--config", "/nowhere/seqd.yaml", "--check-config", check=False)
    assert missing.returncode == EXIT_CONFIG and "/nowhere/seqd.yaml" in missing.stderr


@test
def a_missing_secret_and_an_open_address_are_refused_before_the_start():
    for text, word in (("resp:\n  password_file: /nowhere/secret\n", "/nowhere/secret"),
                       ("resp:\n  listen: 0.0.0.0:0\n", "password_file")):
        path = written(text)
        for args in (["--config", path], ["--config", path, "--check-config"]):
            done = seqd(*args, check=False)
            assert done.returncode == EXIT_CONFIG and word in done.stderr, done.stderr


@test
def print_config_can_be_read_again_and_says_the_same():
    path = written('node:\n  id: "n:#1"\nsegment:\n  step: 77\n  prefetch_at: 0.25\nrecovery:\n  assume_new: true\n')
    first = seqd("--config", path, "--print-config").stdout
    assert "77" in first and "0.25" in first
    again = written(first)
    assert "good" in seqd("--config", again, "--check-config").stdout
    assert seqd("--config", again, "--print-config").stdout == first
    assert seqd("--print-config").stdout == seqd("--config", os.path.join(ROOT, "conf", "seqd.yaml"), "--print-config").stdout


@test
def a_port_that_is_in_use_is_named_and_ends_the_start():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Seqd(sqlite_store(), resp={"listen": f"127.0.0.1:{port}"}).start("") as daemon:
            assert daemon.wait_exit() == 1
            assert re.search(rf"error seqd\.failed: .*127\.0\.0\.1:{port}.*in use", daemon.log()), daemon.log()


@test
def a_database_file_that_cannot_be_made_is_reported_with_its_path():
    for path in ("/proc/seqd.db", "/nowhere/at/all/seqd.db", temp_dir("a-directory")):
        with Seqd({"driver": "sqlite", "path": path}).start("listening") as daemon:
            daemon.wait_log(r"(error|warning) store\.not_ready: .*" + re.escape(path))
            assert daemon.call("PING") == "PONG"
            assert daemon.term() == 0


@test
def sigterm_and_sigint_end_it_with_0():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        with Seqd(sqlite_store()).start() as daemon, daemon.client() as idle:
            assert idle.incr("x") == 1
            daemon.signal(number)
            begun = time.monotonic()
            assert daemon.wait_exit() == 0
            assert time.monotonic() - begun < 10, "an idle connection must not hold it up"
            assert "seqd.stopped" in daemon.log()


@test
def sighup_does_not_end_it():
    with Seqd(sqlite_store()).start() as daemon:
        daemon.signal(signal.SIGHUP)
        daemon.wait_log("config.reload")
        assert daemon.incr("x") == 1


@test
def a_second_sigterm_ends_it_although_the_store_hangs():
    mariadb = MariaDb()
    with Seqd(mariadb.schema(), lease={"ttl_ms": 30_000}).start() as daemon:
        assert daemon.incr("x") == 1
        daemon.config["store"]["timeout_ms"] = 20_000
        assert daemon.term() == 0
        daemon.start()
        daemon.incr("x")
        mariadb.sigstop()
        daemon.signal(signal.SIGTERM)
        daemon.wait_log("seqd.stopping")
        until(lambda: daemon.process.poll() is None, 1)
        time.sleep(0.3)  # it is really waiting
        assert daemon.process.poll() is None, "it ended although the store hangs"
        daemon.signal(signal.SIGTERM)
        assert daemon.wait_exit(5) in (-signal.SIGTERM, 0)


@test
def systemd_hears_ready_alive_reloading_and_stopping():
    path = os.path.join(temp_dir("notify"), "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        systemd.settimeout(10)
        heard = []

        def hears(word):
            while not any(word in text for text in heard):
                heard.append(systemd.recv(4096).decode())
            heard.clear()

        os.environ["NOTIFY_SOCKET"] = path
        os.environ["WATCHDOG_USEC"] = "200000"
        try:
            with Seqd(sqlite_store()) as daemon:
                daemon.start()
                hears("READY=1")
                hears("WATCHDOG=1")
                hears("WATCHDOG=1")
                daemon.signal(signal.SIGHUP)
                hears("RELOADING=1\nMONOTONIC_USEC=")
                hears("READY=1")
                daemon.signal(signal.SIGTERM)
                hears("STOPPING=1")
                assert daemon.wait_exit() == 0
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]


@test
def a_clean_start_is_fast_and_logs_no_warning():
    with Seqd(sqlite_store()) as daemon:
        begun = time.monotonic()
        daemon.start()
        assert time.monotonic() - begun < 5
        assert daemon.incr("x") == 1
        assert daemon.term() == 0
        assert not re.search(r"Z (warning|error) ", daemon.log()), daemon.log()


main()
