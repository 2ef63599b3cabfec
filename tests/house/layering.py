#!/usr/bin/python3
"""Holds the #include lines of src against the rooms: app -> adapters/* -> core -> base.

layering.py ROOT         checks ROOT/src; exit 1 and one line for each wrong include
layering.py --self-test  checks that wrong includes are found, each kind of them
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Which rooms may use a vendor's headers; nobody else may.
VENDORS = {
    r"Poco/": {"app", "main", "adapters/http"},
    r"(cppconn|mysql|mysqlx|mariadb|jdbc)[/_.]|mysql_|mysql\.h": {"adapters/mysql"},
    r"hiredis": {"adapters/redis"},
    r"yaml-cpp/": {"adapters/yaml"},
    r"prometheus/": {"adapters/prometheus"},
    r"sqlite3": {"adapters/sqlite"},
    r"doctest|gtest|gmock": set(),
}
# core is handed its clock and its lanes, and does no I/O.
NOT_IN_CORE = re.compile(
    r"^(thread|stop_token|future|iostream|fstream|ostream|istream|cstdio|stdio\.h|filesystem|semaphore"
    r"|(sys|netinet|arpa|net|linux)/.*|unistd\.h|fcntl\.h|poll\.h|netdb\.h|pthread\.h|signal\.h|csignal)$")


def room_of(path):
    """The room of a path below src: base, core, adapters/x, app or main."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "adapters" else parts[0]


def may_include(room, other):
    if room == "main":
        return other == "app"
    if room == other:
        return True
    order = {"base": 0, "core": 1, "adapters": 2, "app": 3}
    kind, other_kind = room.split("/")[0], other.split("/")[0]
    if kind not in order or other_kind not in order:
        return False
    return order[other_kind] < order[kind]  # so an adapter never sees another adapter


def complaint(src, room, bracket, name):
    vendor = next((rooms for pattern, rooms in VENDORS.items() if re.match(pattern, name, re.I)), None)
    if vendor is not None:
        return None if room in vendor else "a vendor's header that this room may not see"
    if bracket == "<":
        if (src / name).exists():
            return "our own header; write it in quotes"
        if room == "core" and NOT_IN_CORE.match(name):
            return "threads, input and output stay out of core"
        return None
    if not (src / name).is_file():
        return 'no such file below src; an include names its room, as in "core/interval.h"'
    other = room_of(name)
    return None if may_include(room, other) else f"{room} may not include {other}"


def check(root):
    src = pathlib.Path(root) / "src"
    found = []
    files = sorted(p for p in src.rglob("*") if p.suffix in (".h", ".cpp"))
    for file in files:
        room = room_of(file.relative_to(src).as_posix())
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and complaint(src, room, match[1], match[2])
            if wrong:
                found.append(f"{file}:{number}: {match[2]}: {wrong}")
    return len(files), found


RIGHT = {
    "base/a.h": "#include <vector>\n#include <ctime>\n",
    "core/b.h": '#include "base/a.h"\n#include "core/ports/p.h"\n#include <mutex>\n',
    "core/ports/p.h": "",
    "adapters/mysql/m.h": '#include "core/b.h"\n#include "base/a.h"\n#include <cppconn/driver.h>\n',
    "adapters/redis/r.h": '#include "adapters/redis/s.h"\n#include <hiredis/hiredis.h>\n#include <unistd.h>\n',
    "adapters/redis/s.h": "",
    "adapters/http/h.h": "#include <Poco/Net/HTTPServer.h>\n",
    "adapters/yaml/y.h": "#include <yaml-cpp/yaml.h>\n",
    "adapters/sqlite/q.h": "#include <sqlite3.h>\n",
    "app/w.h": '#include "adapters/mysql/m.h"\n#include "adapters/yaml/y.h"\n#include "core/b.h"\n#include <Poco/Util/Application.h>\n',
    "main/seqd.cpp": '#include "app/w.h"\n#include <Poco/Foundation.h>\n',
}
WRONG = [
    ("base/x.h", '#include "core/b.h"'),
    ("base/x.h", "#include <Poco/Foundation.h>"),
    ("core/x.h", '#include "adapters/mysql/m.h"'),
    ("core/x.h", '#include "app/w.h"'),
    ("core/ports/x.h", "#include <sqlite3.h>"),
    ("core/x.h", '#  include "yaml-cpp/yaml.h"'),
    ("core/x.h", "#include <thread>"),
    ("core/x.h", "#include <sys/socket.h>"),
    ("core/x.cpp", '#include "ports/p.h"'),
    ("core/x.cpp", '#include "b.h"'),
    ("core/x.cpp", '#include "../base/a.h"'),
    ("core/x.cpp", "#include <base/a.h>"),
    ("adapters/mysql/x.h", '#include "adapters/redis/r.h"'),
    ("adapters/mysql/x.h", '#include "app/w.h"'),
    ("adapters/mysql/x.h", "#include <hiredis/hiredis.h>"),
    ("adapters/redis/x.h", "#include <cppconn/driver.h>"),
    ("adapters/redis/x.h", "#include <mysql/mysql.h>"),
    ("adapters/redis/x.h", "#include <prometheus/counter.h>"),
    ("adapters/redis/x.h", "#include <Poco/Redis/Client.h>"),
    ("app/x.h", "#include <sqlite3.h>"),
    ("app/x.h", '#include "main/seqd.cpp"'),
    ("app/x.h", "#include <doctest/doctest.h>"),
    ("main/x.cpp", '#include "core/b.h"'),
    ("main/x.cpp", '#include "adapters/yaml/y.h"'),
]


def self_test():
    failures = []
    for path, line in [(None, None)] + WRONG:
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**RIGHT, **({path: line + "\n"} if path else {})}.items():
                file = pathlib.Path(root, "src", name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            _, found = check(root)
            if len(found) != (1 if path else 0):
                failures.append(f"{path}: {line}: found {found}")
    return len(WRONG) + 1, failures


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, found = self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1])
    for line in found:
        print(line)
    print(f"layering: {count} looked at, {len(found)} wrong")
    sys.exit(1 if found or count == 0 else 0)


main()
