"""One delivery: lock and status check in one command, record, handler, and what is reported of it.

    redis = Redis.from_url("redis://cache:6379/0", decode_responses=True, socket_timeout=0.2, socket_connect_timeout=0.2)
    db = pymysql.connect(host="db", user="points", password=…, database="points", autocommit=True)
    reports = RedisReports(redis, "points", "w-2")
    consumer = Consumer(redis, db, reports)
    for message in messages:
        settled = consumer.consume(Delivery(type, key, queue="points.order", redelivered=…), credit_points)
        …  # ack it; or give it back to come later; or hand it to the dead letter
        reports.tick()
"""

import logging
import time
import uuid
from dataclasses import dataclass

import pymysql
from redis import RedisError

LOCK_TTL_MS = 40_000  # twice the longest handling, 15 s at least
DONE_FOR_MS = 600_000  # for so long duplicates end at Redis
LEASE_S = 120  # whoever is processing for longer has died

PROCESSING, COMPLETED, FAILED, DEAD = 1, 2, 3, 4

# If the lock is still this owner's: a done marker for ARGV[2] ms, or none for 0.
COMPLETE = """
local value = redis.call('GET', KEYS[1])
if not value then
  return {'gone'}
end
if value ~= ARGV[1] then
  return {'other', value}
end
if tonumber(ARGV[2]) > 0 then
  local now = redis.call('TIME')
  local ms = now[1] .. string.format('%03d', math.floor(now[2] / 1000))
  redis.call('SET', KEYS[1], 'done:' .. ms, 'PX', ARGV[2])
else
  redis.call('DEL', KEYS[1])
end
return {'ok'}
"""

log = logging.getLogger("consumer")


@dataclass
class Delivery:
    type: str
    key: str
    queue: str
    redelivered: bool = False
    number: int = 1


class Rejected(Exception):
    """Raised by a handler: no, and no again however often it is asked."""


class Consumer:
    def __init__(self, redis, db, reports, lock_prefix="idem_lock"):
        self.redis, self.db, self.reports, self.lock_prefix = redis, db, reports, lock_prefix
        self.complete = redis.register_script(COMPLETE)

    def consume(self, delivery, work):
        """What becomes of it: ack, later or dead_letter. work(db, delivery) shares a transaction with the record."""
        began = time.monotonic()
        lock_key, owner = f"{self.lock_prefix}:{delivery.type}:{delivery.key}", f"{self.reports.instance}/{uuid.uuid4().hex}"
        lock = self.take(lock_key, owner)
        if lock == "held":
            self.reports.count(delivery.type, "conflict")
            return self.told(delivery, "deferred", lock)
        if lock == "done":
            return self.told(delivery, "dup_status", lock)
        if lock == "degraded":
            self.reports.count(delivery.type, lock)
        marker_ms = 0
        try:
            record, status = self.claim(delivery)
            if record == "exists":
                outcome, ms = {COMPLETED: "dup_index", DEAD: "refused"}.get(status, "deferred"), None
            else:
                self.reports.count(delivery.type, "first" if record == "inserted" else "takeover")
                outcome = self.handle(delivery, work)
                ms = int((time.monotonic() - began) * 1000)
            marker_ms = DONE_FOR_MS if outcome in ("completed", "dup_index") else 0
            return self.told(delivery, outcome, lock, record, ms)
        except Exception:  # the database is away: the loop gives the message back and connects again
            self.reports.count(delivery.type, "deferred")
            raise
        finally:
            if lock == "taken":
                self.give_back(delivery, lock_key, owner, marker_ms)

    def take(self, lock_key, owner):
        try:
            found = self.redis.set(lock_key, owner, nx=True, get=True, px=LOCK_TTL_MS)  # NX with GET: Redis 7
        except RedisError as error:
            log.warning("without the lock: %s", error)
            return "degraded"
        return "taken" if found is None else "done" if found.startswith("done:") else "held"

    def give_back(self, delivery, lock_key, owner, marker_ms):
        try:
            if self.complete(keys=[lock_key], args=[owner, marker_ms])[0] != "ok":
                self.reports.count(delivery.type, "lock_lost")
        except RedisError as error:
            log.warning("the lock stays until its TTL ends: %s", error)

    def claim(self, delivery):
        """inserted or taken_over: it is ours. Else exists, and its status."""
        of = (delivery.type, delivery.key)
        with self.db.cursor() as sql:
            try:
                sql.execute("INSERT INTO idempotent_record (biz_type, biz_id, status) VALUES (%s, %s, 1)", of)
                return "inserted", PROCESSING
            except pymysql.IntegrityError as error:
                if error.args[0] != 1062:  # not the unique index
                    raise
            taken_over = sql.execute(
                "UPDATE idempotent_record SET status = 1, update_time = NOW() WHERE biz_type = %s AND biz_id = %s"
                " AND (status = 3 OR status = 1 AND update_time < NOW() - INTERVAL %s SECOND)", (*of, LEASE_S))
            if taken_over:
                return "taken_over", PROCESSING
            sql.execute("SELECT status FROM idempotent_record WHERE biz_type = %s AND biz_id = %s", of)
            return "exists", (sql.fetchone() or (PROCESSING,))[0]

    def handle(self, delivery, work):
        """Effect and completion commit together: of two that believe the record theirs, one."""
        self.db.begin()
        try:
            work(self.db, delivery)
            if self.ended(delivery, COMPLETED):
                self.db.commit()
                return "completed"
            self.db.rollback()
            return "fenced"
        except Exception as error:
            log.warning("%s is not handled: %s", delivery, error)
            self.db.rollback()
            outcome, status = ("dead", DEAD) if isinstance(error, Rejected) else ("failed", FAILED)
            self.ended(delivery, status)
            return outcome

    def ended(self, delivery, status):
        with self.db.cursor() as sql:
            update = "UPDATE idempotent_record SET status = %s WHERE biz_type = %s AND biz_id = %s AND status = 1"
            return sql.execute(update, (status, delivery.type, delivery.key)) == 1

    def told(self, delivery, outcome, lock, record=None, ms=None):
        origin = cause = None
        if outcome.startswith("dup_"):
            origin, cause = delivery.queue, "redelivery" if delivery.redelivered else "producer"
        self.reports.count(delivery.type, outcome, ms, origin, cause)
        if (record, outcome) != ("inserted", "completed"):  # what went well needs no trace
            entry = {"delivery": delivery.number, "lock": lock, "record": record, "outcome": outcome}
            self.reports.trace(delivery.type, delivery.key, **entry)
        return {"deferred": "later", "failed": "later", "fenced": "later", "dead": "dead_letter"}.get(outcome, "ack")
