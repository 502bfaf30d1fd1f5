"""What a consumer reports, into Redis or by HTTP. One object for each thread. count() and trace() only add to memory;
tick() in the consumer's loop sends it, and never raises."""

import json
import logging
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter, deque
from datetime import datetime, timedelta, timezone

BOUNDS_MS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000,
             10000, 15000, 20000, 30000, 60000)

log = logging.getLogger("oncewatch")


class Reports:
    def __init__(self, source, instance, every_s):
        self.source, self.instance, self.every_s = source, instance, every_s
        self.counts, self.traces = Counter(), deque(maxlen=1000)
        self.due, self.alive_in = 0, None

    def count(self, type, signal, ms=None, origin=None, cause=None):
        """ms: how long it was handled. origin and cause: where a duplicate came from."""
        bound = None if ms is None else next((bound for bound in BOUNDS_MS if ms <= bound), "inf")
        self.counts[this_minute(), type, signal, bound, origin, cause] += 1

    def trace(self, type, key, **entry):
        """entry: delivery, lock, record, outcome."""
        self.traces.append((type, key, {"at": now().isoformat(), "worker": self.instance, **entry}))

    def tick(self):
        """After each message, and at least once a minute also when none comes."""
        if time.monotonic() >= self.due:
            self.flush()

    def flush(self):
        """At the end of the process. What is not taken goes with the next, for an hour."""
        self.due = time.monotonic() + self.every_s
        if self.alive_in != this_minute():
            self.alive_in = this_minute()
            self.count("", "alive", origin=self.instance)
        for late in [of for of in self.counts if of[0] < now() - timedelta(hours=1)]:
            del self.counts[late]
        try:
            self.send()
        except Exception as error:  # whatever it is, it is not worth a message
            log.warning("reports wait: %s", error)


class RedisReports(Reports):
    """redis: with short time-outs."""

    def __init__(self, redis, source, instance, prefix="idem_stat", every_s=1):
        super().__init__(source, instance, every_s)
        self.redis, self.prefix = redis, prefix

    def send(self):
        report = self.redis.pipeline(transaction=True)  # all of it or nothing
        for (at, type, signal, bound, origin, cause), n in self.counts.items():
            minute = f"{self.prefix}:{self.source}:{at:%Y%m%d%H%M}:0"
            for field in fields(signal, bound, origin, cause):
                report.hincrby(minute, f"{escaped(type)}|{field}", n)
            report.expire(minute, 48 * 3600)
        for type, key, entry in self.traces:
            trace = f"idem_trace:{self.source}:{type}:{key}"
            report.lpush(trace, json.dumps(entry))
            report.ltrim(trace, 0, 19)
            report.expire(trace, 24 * 3600)
        answers = report.execute(raise_on_error=False)
        self.counts.clear()
        self.traces.clear()
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        if refused:
            log.error("%d of %d commands of a report were refused: %s", len(refused), len(answers), refused[0])


class HttpReports(Reports):
    """url: https://…/api/ingest. The source has kind = "http"."""

    def __init__(self, url, token, source, instance, every_s=5, timeout_s=1):
        super().__init__(source, instance, every_s)
        self.url, self.token, self.timeout_s = url, token, timeout_s
        self.lines, self.unanswered = deque(maxlen=10_000), None

    def send(self):
        for (at, type, signal, bound, origin, cause), n in self.counts.items():
            ms = 60_001 if bound == "inf" else bound
            self.add(at=at.isoformat(), type=type, signal=signal, n=n, ms=ms, cause=cause, **{"from": origin})
        for type, key, entry in self.traces:
            self.add(type=type, key=key, **entry)
        self.counts.clear()
        self.traces.clear()
        while self.lines or self.unanswered:
            self.post()

    def add(self, **line):
        self.lines.append(json.dumps({"source": self.source, **line}))

    def post(self):
        """What had no answer is sent again as it was, under the same key: it is taken once."""
        if not self.unanswered:
            lines = [self.lines.popleft() for _ in range(min(len(self.lines), 100))]  # a request takes 64 KB
            self.unanswered = str(uuid.uuid4()), "\n".join(lines).encode()
        once, body = self.unanswered
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": once, "Content-Type": "application/x-ndjson"}
        try:
            urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=self.timeout_s).close()
        except urllib.error.HTTPError as error:
            if error.code not in (400, 413, 422):
                raise
            log.error("these lines will never be taken: %s", error.read())
        self.unanswered = None


def fields(signal, bound, origin, cause):
    if signal == "alive":
        return [f"alive|{escaped(origin)}"]
    found = {f"ms|{bound}": bound, f"from|{escaped(origin or '')}": origin, f"cause|{cause}": cause}
    return [signal] + [field for field, value in found.items() if value is not None]


def escaped(name):
    return name.replace("%", "%25").replace("|", "%7C")


def now():
    return datetime.now(timezone.utc)


def this_minute():
    return now().replace(second=0, microsecond=0)
