"""The HTTP front of the real daemon: numbers, health, metrics, reload."""
import json
import os
import re
import urllib.error
import urllib.request

from lab import Seqd, main, sqlite_store, temp_dir, test, until, write_yaml


def http_port(daemon):
    return int(daemon.wait_log(r"http\.listening: listening on \S+:(\d+)").group(1))


def ask(daemon, method, path, token=None):
    """Answers (status, headers, text)."""
    request = urllib.request.Request(f"http://127.0.0.1:{http_port(daemon)}{path}", method=method)
    if token:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def series(text):
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in text.splitlines() if line and not line.startswith("#")}


@test
def numbers_over_http_and_over_redis_are_one_line():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        assert daemon.incr("a") == 1
        status, _, text = ask(daemon, "POST", "/v1/conversations/a/seq?count=5")
        assert status == 200 and json.loads(text)["first"] == "2" and json.loads(text)["last"] == "6", text
        assert daemon.incr("a") == 7
        status, _, text = ask(daemon, "GET", "/v1/conversations/a")
        assert status == 200 and json.loads(text)["issued"] == "7" and json.loads(text)["reserved"] == "1000", text


@test
def errors_are_problems_with_a_sentence():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        for method, path, code in (("POST", "/v1/conversations/a/seq?count=0", 400),
                                   ("POST", "/v1/conversations/%00/seq", 400),
                                   ("GET", "/v1/conversations/a/seq", 405),
                                   ("GET", "/nowhere", 404),
                                   ("POST", "/-/reload", 403)):
            status, headers, text = ask(daemon, method, path)
            assert status == code, (path, status, text)
            assert headers["Content-Type"] == "application/problem+json", headers
            assert json.loads(text)["detail"], text


@test
def a_stand_by_is_alive_and_not_ready_and_names_the_owner():
    store = sqlite_store()
    with Seqd(store) as first, Seqd(store) as second:
        first.start()
        second.start(wait="standby")
        assert ask(first, "GET", "/readyz")[0] == 200
        assert ask(second, "GET", "/livez")[0] == 200
        status, _, text = ask(second, "GET", "/readyz?verbose")
        assert status == 503 and first.address in text, text
        status, headers, text = ask(second, "POST", "/v1/conversations/a/seq")
        assert status == 503 and headers["Retry-After"] and first.address in text, text


@test
def metrics_have_the_same_series_always_and_count_what_happens():
    with Seqd(sqlite_store()) as daemon:
        daemon.start()
        before = series(ask(daemon, "GET", "/metrics")[2])
        for i in range(50):
            daemon.incr(f"conv{i}")
        daemon.call("GET", "seq:conv:conv1")
        status, headers, text = ask(daemon, "GET", "/metrics")
        after = series(text)
        assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert set(before) == set(after) and "conv1" not in text
        grown = {name: after[name] - before[name] for name in after}
        assert grown['seqd_commands_total{command="incr",result="ok"}'] == 50
        assert grown['seqd_commands_total{command="get",result="ok"}'] == 1
        assert grown["seqd_numbers_issued_total"] == 50 and grown["seqd_conversations_resident"] == 50
        assert grown['seqd_reservations_total{result="ok"}'] > 0
        assert grown["seqd_reservation_duration_seconds_count"] > 0


@test
def reload_over_http_takes_the_token_and_says_what_it_did():
    token_file = os.path.join(temp_dir("token"), "token")
    with open(token_file, "w", encoding="utf-8") as f:
        os.fchmod(f.fileno(), 0o600)
        f.write("a-long-secret\n")
    with Seqd(sqlite_store(), http={"token_file": token_file}) as daemon:
        daemon.start()
        daemon.config["segment"] = {"step": 77}
        write_yaml(daemon.file, daemon.config)
        assert ask(daemon, "POST", "/-/reload")[0] in (401, 403)
        assert ask(daemon, "POST", "/-/reload", "wrong")[0] in (401, 403)
        status, _, text = ask(daemon, "POST", "/-/reload", "a-long-secret")
        assert status == 200 and "segment.step" in text, text
        daemon.config["segment"] = {"step": -1}
        write_yaml(daemon.file, daemon.config)
        status, _, text = ask(daemon, "POST", "/-/reload", "a-long-secret")
        assert status >= 400 and "segment.step" in text, text
        metrics = series(ask(daemon, "GET", "/metrics")[2])
        assert metrics["seqd_config_last_reload_successful"] == 0
        assert "a-long-secret" not in daemon.log() + ask(daemon, "GET", "/v1/config", "a-long-secret")[2]


@test
def a_taken_http_port_is_an_error_in_the_log_and_numbers_are_served():
    with Seqd(sqlite_store()) as first:
        first.start()
        with Seqd(sqlite_store(), http={"listen": f"127.0.0.1:{http_port(first)}"}) as second:
            second.start()
            assert second.incr("a") == 1
            until(lambda: re.search(r"error http\.failed: .*127\.0\.0\.1", second.log()), 5, "http.failed")


main()
