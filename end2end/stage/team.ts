// Two teams' systems. `points` is busy: MariaDB, locks of every kind, messages that wait. `quiet` is PostgreSQL with
// empty queues, where "the message is gone" can be known. Ages come from the databases' clocks.

import { mariadb, mariadbUrl, postgres, postgresUrl, Redis, Vhost } from "./stores.ts";

export const HOSTILE = `</script><script>document.title='broken'</script>"'😀 订单 & 100%`;
/** Rows that are completed in `points`: more than a page. */
export const COMPLETED = 260;

export class Teams {
  private constructor(
    readonly id: string,
    readonly redis: Redis,
    readonly vhost: Vhost,
    readonly quietVhost: Vhost,
  ) {}

  /** `id` keeps this worker's databases, keys and vhosts apart from others'. */
  static async assemble(id: string, redis: Redis): Promise<Teams> {
    const teams = new Teams(id, redis, await Vhost.create(`${id}-points`), await Vhost.create(`${id}-quiet`));
    await Promise.all([teams.fillMariadb(), teams.fillPostgres(), teams.fillRedis(), teams.fillQueues()]);
    return teams;
  }

  /** A statement on the busy team's database, as one of its consumers would send it. */
  async points(sql: string): Promise<string> {
    return mariadb(`SET time_zone = '+08:00'; ${sql}`, this.id);
  }

  lockKey(type: string, key: string): string {
    return `${this.id}:lock:${type}:${key}`;
  }

  /** Worker 5 took this key up 50 minutes ago and holds its lock. Gives the lock's key. */
  async begin(key: string): Promise<string> {
    const lock = this.lockKey("ORDER_DONE", key);
    await this.redis.command("SET", lock, "worker-5", "PX", "3600000");
    await this.points(`REPLACE INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
      VALUES ('${key}', 'ORDER_DONE', 1, NOW() - INTERVAL 50 MINUTE, NOW() - INTERVAL 50 MINUTE)`);
    return lock;
  }

  /** The worker finished, and died before it released its lock. */
  async dieAfterCommit(key: string): Promise<void> {
    await this.points(`UPDATE idempotent_record SET status = 2, update_time = update_time WHERE biz_id = '${key}'`);
  }

  get sources(): string {
    return `
[[source]]
name = "points"
timezone = "Asia/Shanghai"
[source.records]
url = "${mariadbUrl(this.id)}"
preset = "idempotent_record"
attempts = "retry_count"
error = "last_error"
owner = "owner"
[source.records.status]
failed = [3]
dead = [4]
[source.records.write]
release = "status"
touch = true
[source.locks]
url = "${this.redis.url}"
pattern = "${this.id}:lock:{type}:{key}"
done = ["done:*"]
ttl = "15s"
[source.signals]
kind = "redis"
prefix = "${this.id}_stat"
[[source.broker]]
kind = "rabbitmq"
url = "${this.vhost.url}"
vhost = "${this.vhost.name}"
queues = ["points.*"]
dead_letter = "points.dlq"

[[source]]
name = "quiet"
[source.records]
url = "${postgresUrl(this.id)}"
preset = "idempotent_record"
[source.records.status]
failed = [3]
dead = [4]
[source.locks]
url = "${this.redis.url}"
pattern = "${this.id}:quiet:{type}:{key}"
ttl = "15s"
[[source.broker]]
kind = "rabbitmq"
url = "${this.quietVhost.url}"
vhost = "${this.quietVhost.name}"
queues = ["quiet.*"]
dead_letter = "quiet.dlq"
`;
  }

  async disband(): Promise<void> {
    await mariadb(`DROP DATABASE ${this.id}`);
    await postgres(`DROP DATABASE ${this.id} WITH (FORCE)`);
    await Promise.all([this.vhost.delete(), this.quietVhost.delete()]);
  }

  private async fillMariadb(): Promise<void> {
    await mariadb(`CREATE DATABASE ${this.id} CHARACTER SET utf8mb4`);
    await this.points(`
      CREATE TABLE idempotent_record (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        biz_id VARCHAR(256) NOT NULL, biz_type VARCHAR(64) NOT NULL, status TINYINT NOT NULL,
        retry_count INT NOT NULL DEFAULT 0, last_error TEXT NULL, owner VARCHAR(64) NULL,
        create_time DATETIME NOT NULL, update_time DATETIME NOT NULL,
        UNIQUE KEY uk_biz (biz_type, biz_id)) ENGINE=InnoDB;
      INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
        SELECT CONCAT('done-', LPAD(seq, 4, '0')), IF(seq % 3, 'ORDER_DONE', 'REFUND_DONE'), 2,
          NOW() - INTERVAL 3 HOUR, NOW() - INTERVAL 3 HOUR + INTERVAL seq SECOND FROM seq_1_to_${COMPLETED};
      INSERT INTO idempotent_record (biz_id, biz_type, status, retry_count, last_error, owner, create_time, update_time) VALUES
        ('stuck-1', 'ORDER_DONE', 1, 0, NULL, 'worker-7', NOW() - INTERVAL 47 MINUTE, NOW() - INTERVAL 47 MINUTE),
        ('stuck-2', 'ORDER_DONE', 1, 2, 'deadlock found', 'worker-2', NOW() - INTERVAL 18 MINUTE, NOW() - INTERVAL 18 MINUTE),
        ('alive-1', 'ORDER_DONE', 1, 0, NULL, 'worker-3', NOW() - INTERVAL 4 MINUTE, NOW() - INTERVAL 4 MINUTE),
        ('locked-done', 'ORDER_DONE', 2, 0, NULL, NULL, NOW() - INTERVAL 2 HOUR, NOW() - INTERVAL 2 HOUR),
        ('failed-1', 'REFUND_DONE', 3, 3, 'insufficient balance', NULL, NOW() - INTERVAL 30 MINUTE, NOW() - INTERVAL 29 MINUTE),
        ('dead-1', 'REFUND_DONE', 4, 5, 'account closed', NULL, NOW() - INTERVAL 90 MINUTE, NOW() - INTERVAL 80 MINUTE),
        ('odd-1', 'REFUND_DONE', 9, 0, NULL, NULL, NOW() - INTERVAL 70 MINUTE, NOW() - INTERVAL 70 MINUTE),
        (${quoted(HOSTILE)}, 'ORDER_DONE', 1, 0, ${quoted(HOSTILE)}, ${quoted(HOSTILE.slice(0, 60))},
          NOW() - INTERVAL 25 MINUTE, NOW() - INTERVAL 25 MINUTE);`);
  }

  private async fillPostgres(): Promise<void> {
    await postgres(`CREATE DATABASE ${this.id} TEMPLATE template0`);
    await postgres(
      `CREATE TABLE idempotent_record (
        id bigserial PRIMARY KEY, biz_id text NOT NULL, biz_type text NOT NULL, status smallint NOT NULL,
        create_time timestamptz NOT NULL, update_time timestamptz NOT NULL, UNIQUE (biz_type, biz_id));
      INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) VALUES
        ('gone-1', 'SIGN_IN', 1, now() - interval '47 minutes', now() - interval '47 minutes'),
        ('gone-2', 'SIGN_IN', 3, now() - interval '40 minutes', now() - interval '35 minutes'),
        ('held-1', 'SIGN_IN', 1, now() - interval '4 minutes', now() - interval '4 minutes'),
        ('fine-1', 'SIGN_IN', 2, now() - interval '60 minutes', now() - interval '59 minutes');`,
      this.id,
    );
  }

  private async fillRedis(): Promise<void> {
    const hour = String(3600_000);
    await this.redis.command("SET", this.lockKey("ORDER_DONE", "alive-1"), "worker-3", "PX", hour);
    await this.redis.command("SET", this.lockKey("ORDER_DONE", "locked-done"), "worker-9", "PX", hour);
    await this.redis.command("SET", this.lockKey("ORDER_DONE", "stuck-2"), "worker-2");
    await this.redis.command("SET", `${this.id}:quiet:SIGN_IN:held-1`, "worker-1", "PX", hour);
    await this.fillReports();
  }

  /** An hour of reports: calm at first, then handlers slow down and duplicates come. Four minutes are missing. */
  private async fillReports(): Promise<void> {
    const minutes = Array.from({ length: 56 }, (_, at) => at + 1).filter((ago) => ago < 30 || ago > 33);
    await Promise.all(minutes.map((ago) => this.report(ago, Math.max(0, 20 - ago))));
    const trace = "idem_trace:points:ORDER_DONE:alive-1";
    const entry = (outcome: string, seconds: number, rest: object): string =>
      JSON.stringify({ at: new Date(Date.now() - seconds * 1000).toISOString(), ...rest, outcome });
    await this.redis.command("DEL", trace);
    await this.redis.command("LPUSH", trace,
      entry("first", 240, { worker: "worker-3", delivery: 1, lock: "taken", record: "inserted" }),
      entry("deferred", 90, { worker: "worker-8", delivery: 2, lock: "held" }));
  }

  private async report(minutesAgo: number, rise: number): Promise<void> {
    const minute = new Date(Date.now() - minutesAgo * 60_000).toISOString().slice(0, 16).replaceAll(/[-:T]/g, "");
    const counts: Record<string, number> = {
      "ORDER_DONE|first": 1_180 + (minutesAgo % 7) * 9,
      "ORDER_DONE|dup_status": 6 + rise * 4,
      "ORDER_DONE|dup_lock": 2 + rise,
      "ORDER_DONE|dup_index": 1 + rise * 2,
      "ORDER_DONE|conflict": 9 + rise * 6,
      "ORDER_DONE|completed": 1_170,
      "ORDER_DONE|failed": 8,
      "ORDER_DONE|from|order_event": 9 + rise * 7,
      "ORDER_DONE|cause|producer": 9 + rise * 7,
      "ORDER_DONE|ms|700": 1_100,
      [`ORDER_DONE|ms|${rise > 12 ? 20_000 : rise > 4 ? 10_000 : 3_000}`]: 70,
      "REFUND_DONE|first": 240,
      "REFUND_DONE|dup_status": 3,
      "REFUND_DONE|from|refund_event": 3,
      "REFUND_DONE|ms|300": 240,
      "|alive|worker-3": 1,
      "|alive|worker-8": 1,
    };
    const fields = Object.entries(counts).flatMap(([field, count]) => [field, String(count)]);
    await this.redis.command("HSET", `${this.id}_stat:points:${minute}:0`, ...fields);
  }

  private async fillQueues(): Promise<void> {
    for (const queue of ["points.order", "points.refund", "points.dlq"]) await this.vhost.queue(queue);
    for (const queue of ["quiet.sign", "quiet.dlq"]) await this.quietVhost.queue(queue);
    for (const number of [1, 2, 3]) await this.vhost.publish("points.order", `{"biz_id":"waiting-${number}"}`);
    await this.vhost.publish("points.dlq", '{"biz_id":"failed-1"}');
  }
}

/** As a MariaDB string. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
