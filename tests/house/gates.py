#!/usr/bin/python3
"""Rules of the house that a search can check. Each names the reason why it is there.

gates.py ROOT         checks the repository; exit 1 and one line for each finding
gates.py --self-test  checks that each gate finds what it is for
"""
import pathlib
import re
import sys
import tempfile

CODE = (".h", ".cpp")
MOST_LINES = 400

# (where: a path's beginning, suffixes, what must not be there, why)
GATES = [
    ("src/", CODE, r"->\s*commit\s*\(", 'write execute("COMMIT"): this call hides a commit that failed (DESIGN S2)'),
    ("src/", CODE, r"->\s*rollback\s*\(", 'write execute("ROLLBACK"): this call hides a failure (DESIGN S2)'),
    ("src/", CODE, r"\bsetAutoCommit\s*\(", "a COMMIT hides in this call (DESIGN S2)"),
    ("src/", CODE, r"\b(class|struct)\s+\w*(Manager|Helper|Util|Utils|Impl)\b", "name it for what it is"),
    ("src/", CODE, r"\busing\s+namespace\b", "names say where they come from"),
    (("tests/unit/", "tests/resp/", "tests/yaml/", "tests/contract/"), CODE,
     r"\b(sleep_for|sleep_until)\b|(?<![\w.])(u|nano)?sleep\s*\(", "a test waits for what happens, not for time"),
    (("src/", "tests/", "scripts/", "conf/", ".ci/", "sql/", "CMake", "README"), None,
     r"(?<![\w.])/(work|home|root)/\w", "a path of somebody's machine"),
]


def files_of(root):
    for top in ("src", "tests", "scripts", "conf", ".ci", "sql"):
        yield from sorted(p for p in (root / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    yield from sorted(p for p in root.iterdir() if p.is_file() and p.name.startswith(("CMake", "README")))


def check(root):
    root = pathlib.Path(root)
    found = []
    count = 0
    for file in files_of(root):
        name = file.relative_to(root).as_posix()
        if name == "tests/house/gates.py":  # names what it forbids
            continue
        count += 1
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        if len(lines) > MOST_LINES and file.suffix in CODE:
            found.append(f"{name}: {len(lines)} lines; split it at {MOST_LINES}")
        for where, suffixes, pattern, why in GATES:
            if name.startswith(where) and (suffixes is None or file.suffix in suffixes):
                for number, line in enumerate(lines, 1):
                    match = re.search(pattern, line)
                    if match:
                        found.append(f"{name}:{number}: {match[0]}: {why}")
    return count, found


RIGHT = {
    "src/a.cpp": 'x->execute("COMMIT");\nawait_sleepers();\ncommit();\nstruct Utility {};\n' + "\n" * 396,
    "tests/unit/a.cpp": "clock.advance(5); asleep(1);\n",
    "tests/faults/a.cpp": "sleep_for(1s);\n",
}
WRONG = [
    ("src/adapters/m/x.cpp", "c->commit();"),
    ("src/x.cpp", "c -> rollback ();"),
    ("src/x.h", "c->setAutoCommit(false);"),
    ("src/x.cpp", "class ThingManager {"),
    ("src/x.cpp", "using namespace std;"),
    ("src/x.cpp", "\n" * 401),
    ("tests/unit/x.cpp", "std::this_thread::sleep_for(1ms);"),
    ("tests/resp/x.cpp", "usleep(5);"),
    ("tests/yaml/x.cpp", "::sleep(1);"),
    ("tests/contract/x.cpp", "sleep (1);"),
    ("scripts/x", "cd /home/me/seqd"),
    ("CMakeLists.txt", "set(X /work/main)"),
]


def self_test():
    failures = []
    for path, text in [(None, None)] + WRONG:
        with tempfile.TemporaryDirectory() as root:
            for name, body in {**RIGHT, **({path: text + "\n"} if path else {})}.items():
                file = pathlib.Path(root, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(body)
            _, found = check(root)
            if len(found) != (1 if path else 0):
                failures.append(f"{path}: found {found}")
    return len(WRONG) + 1, failures


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, found = self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1])
    for line in found:
        print(line)
    print(f"gates: {count} looked at, {len(found)} wrong")
    sys.exit(1 if found or count == 0 else 0)


main()
