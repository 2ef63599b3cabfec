"""SIGHUP: a changed file is taken over whole, or refused whole and named; no request notices."""
import signal
import threading

from lab import Refused, Seqd, main, sqlite_store, test, until, write_yaml


def reload_with(daemon, pattern, **config):
    """Writes the file, sends SIGHUP, waits for the log line."""
    seen = len(daemon.log())
    for section, fields in config.items():
        daemon.config.setdefault(section, {}).update(fields)
    write_yaml(daemon.file, daemon.config)
    daemon.signal(signal.SIGHUP)
    until(lambda: pattern in daemon.log()[seen:], 10, f"{pattern} in the log; it has:\n{daemon.log()[seen:]}")
    return daemon.log()[seen:]


@test
def a_changed_step_and_batch_limit_are_taken_over_and_logged():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        assert daemon.incr("a") == 1
        assert daemon.info()["reserved_numbers"] == 1000
        log = reload_with(daemon, "config.reloaded", segment={"step": 50, "max_batch": 70})
        assert "segment.step: 1000 -> 50" in log and "segment.max_batch: 100000 -> 70" in log, log
        assert daemon.incr("b") == 1
        assert daemon.info()["reserved_numbers"] == 1050
        with daemon.client() as client:
            assert client.incrby("c", 70) == 70
            try:
                client.incrby("c", 71)
                raise AssertionError("a batch above the new limit was accepted")
            except Refused as refused:
                assert "1 to 70" in refused.text, refused.text


@test
def a_bad_file_changes_nothing_and_is_named_with_its_place():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        log = reload_with(daemon, "config.reload_failed", segment={"step": 0, "wait_ms": 7})
        assert "segment.step" in log and "seqd.yaml:" in log, log
        assert daemon.incr("a") == 1
        assert daemon.info()["reserved_numbers"] == 1000
        log = reload_with(daemon, "config.reloaded", segment={"step": 10, "wait_ms": 1000})
        assert "segment.step: 1000 -> 10" in log, log


@test
def a_key_that_takes_a_restart_is_named_and_nothing_else_is_taken_over():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        log = reload_with(daemon, "config.reload_failed", segment={"step": 10}, lease={"ttl_ms": 2000})
        assert "restart" in log and "lease.ttl_ms" in log and "segment.step" not in log, log
        assert daemon.incr("a") == 1
        assert daemon.info()["reserved_numbers"] == 1000


@test
def two_hundred_reloads_under_load_with_bad_files_among_them_fail_no_request():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        stop = threading.Event()
        failures = []
        numbers = [[] for _ in range(4)]

        def count(mine):
            with daemon.client() as client:
                while not stop.is_set():
                    try:
                        numbers[mine].append(client.incr(f"conv{mine}"))
                    except (Refused, EOFError, OSError) as failure:
                        failures.append(failure)

        threads = [threading.Thread(target=count, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for i in range(200):
            pattern = "config.reload_failed" if i % 5 == 4 else "config.reloaded"
            reload_with(daemon, pattern, segment={"step": -1 if i % 5 == 4 else 100 + i})
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures, failures[:3]
        for mine in numbers:
            assert mine == list(range(1, len(mine) + 1)) and len(mine) > 200


main()
