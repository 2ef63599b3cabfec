"""A private laboratory for end-to-end tests: real daemons, a real MariaDB, a proxy, all ended by pid.

Everything lives in one temporary directory, on free ports, and ends with the test program, however that ends.
Processes are started from the main thread only: they die with the thread that started them (PR_SET_PDEATHSIG).
"""
import atexit
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/usr/libexec"}
_libc = ctypes.CDLL(None)
_dir = None
_alive = []  # processes, in the order of their start


def temp_dir(name):
    """A new directory that is removed at the end."""
    global _dir
    if _dir is None:
        _dir = tempfile.mkdtemp(prefix="seqd-e2e-")
    return tempfile.mkdtemp(prefix=name + "-", dir=_dir)


def program(name):
    """The path of a program; its absence is a failure, never a reason to skip."""
    for folder in PROGRAMS:
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    raise AssertionError(f"{name} is not installed, and this test needs it")


def free_port():
    """Below the kernel's ephemeral range, so that no outgoing connection takes it while a server is down for a moment."""
    for _ in range(200):
        port = random.randrange(12000, 32000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise RuntimeError("no free port on 127.0.0.1")


def until(condition, seconds=15.0, what="", pace=0.01):
    """Polls until condition() is true, and answers its value; exceptions of a server that is away count as false."""
    end = time.monotonic() + seconds
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except (OSError, Refused, EOFError) as e:
            last = e
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what or condition} (last: {last!r})")
        time.sleep(pace)


def _bind_to_parent():
    _libc.prctl(1, signal.SIGKILL)


def spawn(args, output, cwd=None):
    with open(output, "ab") as log:
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd,
                                   preexec_fn=_bind_to_parent)
    _alive.append(process)
    return process


def end(process):
    """SIGKILL, which also ends a stopped process, and reaps it."""
    if process is not None:
        if process.poll() is None:
            process.kill()
        process.wait()
        if process in _alive:
            _alive.remove(process)


def _all_stopped(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8") as f:
            if f.read().rpartition(")")[2].split()[0] not in "Tt":
                return False
    return True


def run(*args, text=None, seconds=120, check=True, env=None):
    """Runs a client program to its end; answers the finished process, with output as text."""
    done = subprocess.run(args, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds,
                          env=env, encoding="utf-8", errors="replace")
    if check and done.returncode != 0:
        raise AssertionError(f"{args[0]} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


@atexit.register
def _end_all():
    for process in reversed(list(_alive)):
        end(process)
    if _dir is not None:
        shutil.rmtree(_dir, ignore_errors=True)


class Refused(Exception):
    """An error reply."""

    @property
    def text(self):
        return self.args[0]

    @property
    def retryable(self):
        return self.text.startswith("TRYAGAIN ")


class Client:
    """A plain RESP client that shows bytes as they are. Error replies are raised by call(), and returned by pipe()."""

    def __init__(self, port, seconds=20.0):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._in = self.socket.makefile("rb", 1 << 16)

    @staticmethod
    def encode(*args):
        parts = [a if isinstance(a, bytes) else str(a).encode() for a in args]
        return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)

    def send(self, *args):
        self.socket.sendall(self.encode(*args))

    def read(self):
        line = self._in.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Refused(rest.decode("latin-1"))
        if kind == b"$":
            size = int(rest)
            if size < 0:
                return None
            data = self._in.read(size + 2)
            if len(data) != size + 2:
                raise EOFError("the server closed the connection")
            return data[:-2]
        if kind == b"*":
            return [self.read() for _ in range(int(rest))]
        raise AssertionError(f"not RESP: {line!r}")

    def call(self, *args):
        self.send(*args)
        reply = self.read()
        if isinstance(reply, Refused):
            raise reply
        return reply

    def pipe(self, commands):
        self.socket.sendall(b"".join(self.encode(*c) for c in commands))
        return [self.read() for _ in commands]

    def incr(self, conv):
        return self.call("INCR", key(conv))

    def incrby(self, conv, n):
        return self.call("INCRBY", key(conv), n)

    def close(self):
        with contextlib.suppress(OSError):
            self._in.close()
            self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def key(conv):
    return b"seq:conv:" + (conv if isinstance(conv, bytes) else conv.encode())


def write_yaml(path, config):
    """Two levels are all that seqd's configuration has; JSON values are YAML values."""
    with open(path, "w", encoding="utf-8") as f:
        for section, fields in config.items():
            f.write(section + ":\n")
            for name, value in fields.items():
                f.write(f"  {name}: {json.dumps(value, ensure_ascii=False)}\n")


class Seqd:
    """A daemon with its own configuration; config is merged over what a test needs anyway."""

    binary = None
    ctl = None

    def __init__(self, store, **config):
        self.dir = temp_dir("seqd")
        self.file = os.path.join(self.dir, "seqd.yaml")
        self.log_file = os.path.join(self.dir, "seqd.log")
        self.config = {"resp": {"listen": "127.0.0.1:0"}, "http": {"listen": "127.0.0.1:0"}, "store": dict(store), "lease": {"ttl_ms": 1000}}
        for section, fields in config.items():
            self.config.setdefault(section, {}).update(fields)
        self.process = None
        self.port = None
        self._started_at = 0  # offset in the log

    def start(self, wait="owner", seconds=20.0):
        """wait: "owner", "standby", "listening", or "" for not at all."""
        write_yaml(self.file, self.config)
        open(self.log_file, "ab").close()
        self._started_at = os.path.getsize(self.log_file)
        self.process = spawn([self.binary, "--config", self.file], self.log_file, cwd=self.dir)
        if wait:
            found = self.wait_log(r"resp\.listening: listening on \S+:(\d+)", seconds)
            self.port = int(found.group(1))
            if wait != "listening":
                self.wait_role(wait, seconds)
        return self

    def wait_role(self, role, seconds=20.0):
        def there():
            info = self.info()
            # A stand-by knows whom to name only after its first look at the store.
            return info["role"] == role and (role != "standby" or info["owner"])
        until(there, seconds, f"role {role}; log:\n{self.log()[-2000:]}")
        return self

    def wait_log(self, pattern, seconds=20.0):
        def look():
            found = re.search(pattern, self.log())
            if not found and self.process.poll() is not None:
                raise AssertionError(f"seqd ended with {self.process.returncode}; log:\n{self.log()}")
            return found
        return until(look, seconds, f"log line {pattern}; log:\n{self.log()[-2000:]}")

    def log(self):
        """The log since the last start."""
        with open(self.log_file, "rb") as f:
            f.seek(self._started_at)
            return f.read().decode("utf-8", "replace")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def client(self, seconds=20.0):
        return Client(self.port, seconds)

    def call(self, *args):
        with self.client() as c:
            return c.call(*args)

    def incr(self, conv):
        with self.client() as c:
            return c.incr(conv)

    def info(self):
        """INFO seqd as a dict; numbers are ints, and the prefix seqd_ is left out."""
        found = {}
        for line in self.call("INFO", "seqd").decode().split("\r\n"):
            name, _, value = line.partition(":")
            if name.startswith("seqd_"):
                found[name[5:]] = int(value) if value.lstrip("-").isdigit() else value
        return found

    def signal(self, number):
        os.kill(self.process.pid, number)

    def term(self, seconds=25.0):
        """SIGTERM; answers the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait_exit(seconds)

    def wait_exit(self, seconds=25.0):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"seqd did not end within {seconds} s; log:\n{self.log()}") from None

    def kill9(self):
        end(self.process)

    def sigstop(self):
        """Answers when every thread has stopped: a thread on another core runs on for a moment after the signal."""
        self.signal(signal.SIGSTOP)
        until(lambda: _all_stopped(self.process.pid), 10, "seqd stops")

    def sigcont(self):
        self.signal(signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None and self.process is not None:
            with open(self.log_file, "rb") as f:
                sys.stderr.write(f"--- log of {self.address}\n{f.read()[-6000:].decode('utf-8', 'replace')}\n")
        end(self.process)


class MariaDb:
    """A private mariadbd. The account "seqd" has rights on every schema "t…", but is no administrator."""

    def __init__(self):
        self.dir = temp_dir("mariadb")
        self.data = os.path.join(self.dir, "data")
        # A server that starts clears its tmpdir of temporary tables: shared, it makes other servers crash.
        self.tmp = os.path.join(self.dir, "tmp")
        os.mkdir(self.tmp)
        self.port = free_port()
        self.process = None
        self._schemas = 0
        user = ["--user=root"] if os.geteuid() == 0 else []
        run(program("mariadb-install-db"), "--no-defaults", "--auth-root-authentication-method=normal",
            "--skip-test-db", f"--datadir={self.data}", "--innodb-log-file-size=16M", *user,
            env=dict(os.environ, TMPDIR=self.tmp))
        self.start()
        self.sql("CREATE USER 'seqd'@'localhost'; CREATE USER 'seqd'@'127.0.0.1';"
                 "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON `t%`.* TO 'seqd'@'localhost';"
                 "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON `t%`.* TO 'seqd'@'127.0.0.1';")

    def start(self, wait=True):
        user = ["--user=root"] if os.geteuid() == 0 else []
        self.process = spawn(
            [program("mariadbd"), "--no-defaults", f"--datadir={self.data}", f"--tmpdir={self.tmp}", f"--port={self.port}",
             "--bind-address=127.0.0.1", f"--socket={self.dir}/socket", f"--pid-file={self.dir}/pid",
             "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--max-connections=200", *user],
            os.path.join(self.dir, "output.log"))
        if wait:
            until(self.answers, 60, "mariadbd answers")

    def answers(self):
        if self.process.poll() is not None:
            with open(os.path.join(self.dir, "output.log"), encoding="utf-8", errors="replace") as f:
                raise AssertionError("mariadbd ended: " + f.read()[-3000:])
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as s:
            s.settimeout(1)
            return len(s.recv(5)) == 5
        return False

    def sql(self, text, schema="", check=True):
        """Runs it as root; answers rows as lists of strings."""
        done = run(program("mariadb"), "--no-defaults", "-h127.0.0.1", f"-P{self.port}", "-uroot", "-N", "-B",
                   "--default-character-set=utf8mb4", *([schema] if schema else []), text=text, check=check)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def schema(self):
        """A new, empty schema, as the store section of a configuration."""
        self._schemas += 1
        name = f"t{self._schemas}"
        self.sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return self.store(name)

    def store(self, name):
        return {"driver": "mysql", "host": "127.0.0.1", "port": self.port, "user": "seqd", "schema": name,
                "timeout_ms": 500}

    def ceilings(self, store):
        return {bytes.fromhex(c).decode(): int(m) for c, m in
                self.sql("SELECT HEX(conv_id), max_seq FROM seq_counter", store["schema"])}

    def stop(self):
        """A clean end."""
        self.process.terminate()
        self.process.wait(60)
        end(self.process)

    def kill9(self):
        end(self.process)

    def sigstop(self):
        os.kill(self.process.pid, signal.SIGSTOP)
        until(lambda: _all_stopped(self.process.pid), 10, "mariadbd stops")

    def sigcont(self):
        os.kill(self.process.pid, signal.SIGCONT)


def sqlite_store():
    return {"driver": "sqlite", "path": os.path.join(temp_dir("sqlite"), "seqd.db")}


class TcpProxy:
    """Stands between a client and 127.0.0.1:target: can delay, freeze, and cut."""

    def __init__(self, target):
        self.target = target
        self.delay = 0.0
        self._open = threading.Event()
        self._open.set()
        self._pairs = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self):
        """Bytes go on neither way; connections stay open and are still accepted."""
        self._open.clear()

    def thaw(self):
        self._open.set()

    def cut(self):
        """Resets all connections."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for s in (s for pair in pairs for s in pair):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target), 5)
                server.settimeout(None)
            except OSError:
                if self._listener.fileno() < 0:
                    return
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, server))
            for a, b in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._open.wait()
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        for s in (source, sink):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listener.close()
        self.thaw()
        self.cut()


_tests = []


def test(function):
    """Marks a test; its name is a sentence."""
    _tests.append(function)
    return function


def main():
    """main of a test program: SEQD SEQCTL [part of a test's name]."""
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} SEQD SEQCTL [part of a test's name]")
    Seqd.binary, Seqd.ctl = map(os.path.abspath, sys.argv[1:3])
    wanted = [t for t in _tests if len(sys.argv) < 4 or sys.argv[3] in t.__name__]
    failed = 0
    for t in wanted:
        begun = time.monotonic()
        verdict = "ok"
        try:
            t()
        except Exception:  # an error in one test must not hide the others
            failed += 1
            verdict = "FAILED"
            traceback.print_exc()
            for process in _alive:  # a server that ended by itself, or was ended by somebody else, explains much
                if process.poll() is not None:
                    sys.stderr.write(f"--- {process.args[0]}, process {process.pid}, has ended with {process.returncode}\n")
        print(f"{verdict:6} {time.monotonic() - begun:6.2f} s  {t.__name__.replace('_', ' ')}", flush=True)
    if not wanted:
        sys.exit("no test was run")
    sys.exit(1 if failed else 0)
