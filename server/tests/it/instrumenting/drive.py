"""Runs docs/instrumenting/*.py for the tests: settings as the first argument, one JSON order a line, one answer each."""

import json
import sys
import time

settings = json.loads(sys.argv[1])
sys.path.insert(0, settings["files"])

import pymysql  # noqa: E402
import redis  # noqa: E402
from consumer import Consumer, Delivery, Rejected  # noqa: E402
from oncewatch import HttpReports, RedisReports  # noqa: E402

if "ingest" in settings:
    reports = HttpReports(settings["ingest"], settings["token"], settings["source"], settings["instance"],
                          timeout_s=60)
else:
    client = redis.Redis(host=settings["redis"]["host"], port=settings["redis"]["port"], decode_responses=True,
                         socket_timeout=10, socket_connect_timeout=10)
    reports = RedisReports(client, settings["source"], settings["instance"], prefix=settings["prefix"] + "_stat")
    connect = {**settings["database"], "autocommit": True, "init_command": "SET time_zone = '+00:00'"}
    db = pymysql.connect(**connect)
    consumer = Consumer(client, db, reports, lock_prefix=settings["prefix"])


def consume(order):
    def work(db, delivery):
        db.cursor().execute("INSERT INTO credited (biz_id) VALUES (%s)", delivery.key)
        time.sleep(order.get("takes_ms", 0) / 1000)
        if "meanwhile_sql" in order:
            with pymysql.connect(**connect) as other:
                other.cursor().execute(order["meanwhile_sql"])
        if "meanwhile_redis" in order:
            client.execute_command(*order["meanwhile_redis"])
        if order.get("ends") == "failed":
            raise RuntimeError("the points service is away")
        if order.get("ends") == "rejected":
            raise Rejected("there is no such account")

    return consumer.consume(Delivery(**order["delivery"]), work)


for line in sys.stdin:
    order = json.loads(line)
    if "count" in order:
        reports.count(**order["count"])
    if "trace" in order:
        reports.trace(**order["trace"])
    settled = consume(order) if "delivery" in order else None
    reports.flush()
    print(json.dumps({"settled": settled}), flush=True)
