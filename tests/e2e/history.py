"""Who got which numbers when, and whether that keeps the promise: unique, increasing in real time, bounded.

A history with gaps is linearizable exactly if all numbers differ and their order extends real-time order, so no search is needed:
check() takes O(n log n). Operations whose outcome is unknown are not recorded.
"""
import random
import threading
import time
from collections import defaultdict

from lab import Client, Refused

MAX_SEQ = 2**53 - 1


class History:
    """Thread-safe, because list.append is."""

    def __init__(self):
        self.operations = defaultdict(list)  # conversation -> (sent, answered, lo, hi)

    def add(self, conv, sent, answered, lo, hi):
        self.operations[conv].append((sent, answered, lo, hi))

    def count(self):
        return sum(len(ops) for ops in self.operations.values())

    def last(self, conv):
        return max(hi for _, _, _, hi in self.operations[conv])

    def numbers(self, conv):
        return sum(hi - lo + 1 for _, _, lo, hi in self.operations[conv])


def check(history, ceilings=None):
    """Answers the violations found, as sentences; none means that the promise was kept."""
    found = []
    for conv, ops in history.operations.items():
        found += [f"{conv}: {what}" for what in check_one(ops, (ceilings or {}).get(conv, MAX_SEQ))]
        if ceilings is not None and conv not in ceilings:
            found.append(f"{conv}: it has no row in the store")
    return found


def check_one(ops, ceiling=MAX_SEQ):
    found = []
    by_value = sorted(ops, key=lambda op: (op[2], op[3]))
    for op in by_value:
        if op[3] < op[2]:
            found.append(f"BOUNDED: {op[2]}..{op[3]} is no range")
    if by_value and by_value[0][2] < 1:
        found.append(f"BOUNDED: {by_value[0][2]} is below 1")
    reached = 0
    for op in by_value:
        if op[2] <= reached and reached > 0:
            found.append(f"UNIQUE: {op[2]}..{op[3]} overlaps numbers up to {reached}")
        reached = max(reached, op[3])
    if reached > min(ceiling, MAX_SEQ):
        found.append(f"BOUNDED: {reached} is above the ceiling {min(ceiling, MAX_SEQ)}")
    finished = sorted(ops, key=lambda op: op[1])
    highest = 0  # of all that were answered before the present one was sent
    j = 0
    for op in sorted(ops, key=lambda op: op[0]):
        while finished[j][1] < op[0]:
            highest = max(highest, finished[j][3])
            j += 1
        if op[2] <= highest:
            found.append(f"ORDER: {op[2]} was answered after {highest} had been")
    return found


class Load:
    """Threads that take numbers until stop(), retrying what is refused or lost. `ports` names the daemons, and may change."""

    def __init__(self, ports, conversations, threads=16, max_batch=50, history=None, patience=3.0):
        self.ports = ports  # called for each new connection: a list of ports to choose from
        self.conversations = conversations
        self.max_batch = max_batch
        self.patience = patience  # seconds until a client gives up waiting, and asks again elsewhere
        self.history = history or History()
        self.refusals = defaultdict(int)  # text of an error reply -> times
        self.lost = defaultdict(int)  # conversation -> numbers of requests whose reply was lost
        self.slowest = 0.0
        self.broken = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(i,), daemon=True) for i in range(threads)]

    def __enter__(self):
        for t in self._threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._stop.set()
        for t in self._threads:
            t.join(60)
        if self.broken:
            raise AssertionError(self.broken[0])

    def answered(self, at_least):
        """A condition to wait for: that many more answers from now on."""
        begin = self.history.count()
        return lambda: self.history.count() >= begin + at_least

    def unexpected(self):
        """Error replies that do not ask to try again."""
        return [text for text in self.refusals if not text.startswith("TRYAGAIN ")]

    def _run(self, number):
        rng = random.Random(number)
        client = None
        while not self._stop.is_set():
            conv = rng.choice(self.conversations)
            n = 1 if rng.random() < 0.6 else rng.randint(1, self.max_batch)
            sent_request = False
            try:
                if client is None:
                    client = Client(rng.choice(self.ports()), self.patience)
                sent_request = True
                sent = time.monotonic_ns()
                hi = client.incr(conv) if n == 1 else client.incrby(conv, n)
                answered = time.monotonic_ns()
                self.slowest = max(self.slowest, (answered - sent) / 1e9)
                self.history.add(conv, sent, answered, hi - n + 1, hi)
                continue
            except Refused as e:
                self.refusals[e.text] += 1
                if e.retryable and rng.random() < 0.3 and client is not None:  # perhaps another daemon owns it
                    client.close()
                    client = None
            except (OSError, EOFError):
                if sent_request:
                    self.lost[conv] += n
                if client is not None:
                    client.close()
                client = None
            except Exception as e:  # would be lost with the thread otherwise
                self.broken.append(repr(e))
                return
            self._stop.wait(0.005)
        if client is not None:
            client.close()
