<?php
// One delivery: lock and status check in one command, record, handler, and what is reported of it.
//
//     $redis = new RedisLine('cache');
//     $db = new \PDO('mysql:host=db;dbname=points', 'points', $password);
//     $reports = new RedisReports($redis, 'points', 'w-2');
//     $consumer = new Consumer($redis, $db, $reports);
//     foreach ($messages as $message) {
//         $settled = $consumer->consume(new Delivery($type, $key, queue: 'points.order', redelivered: …), $creditPoints);
//         …  // ack it; or give it back to come later; or hand it to the dead letter
//         $reports->tick();
//     }
declare(strict_types=1);
namespace Oncewatch;

require_once __DIR__ . '/oncewatch.php';

final class Delivery
{
    public function __construct(public readonly string $type, public readonly string $key, public readonly string $queue,
        public readonly bool $redelivered = false, public readonly int $number = 1) {}
}

/** Thrown by a handler: no, and no again however often it is asked. */
final class Rejected extends \Exception {}

final class Consumer
{
    private const LOCK_TTL_MS = 40_000; // twice the longest handling, 15 s at least
    private const DONE_FOR_MS = 600_000; // for so long duplicates end at Redis
    private const LEASE_S = 120; // whoever is processing for longer has died

    private const PROCESSING = 1, COMPLETED = 2, FAILED = 3, DEAD = 4;

    /** If the lock is still this owner's: a done marker for ARGV[2] ms, or none for 0. */
    private const COMPLETE = <<<'LUA'
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
LUA;

    public function __construct(private RedisLine $redis, private \PDO $db, private Reports $reports,
        private string $lockPrefix = 'idem_lock')
    {
        $db->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
    }

    /** What becomes of it: ack, later or dead_letter. $work($db, $delivery) shares a transaction with the record. */
    public function consume(Delivery $delivery, callable $work): string
    {
        $began = hrtime(true);
        $lockKey = "$this->lockPrefix:$delivery->type:$delivery->key";
        $owner = $this->reports->instance . '/' . bin2hex(random_bytes(16));
        $lock = $this->take($lockKey, $owner);
        if ($lock === 'held') {
            $this->reports->count($delivery->type, 'conflict');
            return $this->told($delivery, 'deferred', $lock);
        }
        if ($lock === 'done') {
            return $this->told($delivery, 'dup_status', $lock);
        }
        if ($lock === 'degraded') {
            $this->reports->count($delivery->type, $lock);
        }
        $markerMs = 0;
        try {
            [$record, $status] = $this->claim($delivery);
            if ($record === 'exists') {
                $outcome = [self::COMPLETED => 'dup_index', self::DEAD => 'refused'][$status] ?? 'deferred';
            } else {
                $this->reports->count($delivery->type, $record === 'inserted' ? 'first' : 'takeover');
                $outcome = $this->handle($delivery, $work);
                $ms = intdiv(hrtime(true) - $began, 1_000_000);
            }
            $markerMs = in_array($outcome, ['completed', 'dup_index'], true) ? self::DONE_FOR_MS : 0;
            return $this->told($delivery, $outcome, $lock, $record, $ms ?? null);
        } catch (\Throwable $error) { // the database is away: the loop gives the message back and connects again
            $this->reports->count($delivery->type, 'deferred');
            throw $error;
        } finally {
            if ($lock === 'taken') {
                $this->giveBack($delivery, $lockKey, $owner, $markerMs);
            }
        }
    }

    private function take(string $lockKey, string $owner): string
    {
        try { // NX with GET: Redis 7
            $found = $this->redis->ask(fn ($redis) => $redis->rawCommand('SET', $lockKey, $owner, 'NX', 'GET', 'PX', self::LOCK_TTL_MS));
        } catch (\RedisException $error) {
            error_log("consumer: without the lock: {$error->getMessage()}");
            return 'degraded';
        }
        return $found === false ? 'taken' : (str_starts_with($found, 'done:') ? 'done' : 'held');
    }

    private function giveBack(Delivery $delivery, string $lockKey, string $owner, int $markerMs): void
    {
        try {
            $answer = $this->redis->ask(fn ($redis) => $redis->eval(self::COMPLETE, [$lockKey, $owner, $markerMs], 1));
            if ($answer[0] !== 'ok') {
                $this->reports->count($delivery->type, 'lock_lost');
            }
        } catch (\RedisException $error) {
            error_log("consumer: the lock stays until its TTL ends: {$error->getMessage()}");
        }
    }

    /** inserted or taken_over: it is ours. Else exists, and its status. */
    private function claim(Delivery $delivery): array
    {
        $of = [$delivery->type, $delivery->key];
        try {
            $this->sql('INSERT INTO idempotent_record (biz_type, biz_id, status) VALUES (?, ?, 1)', $of);
            return ['inserted', self::PROCESSING];
        } catch (\PDOException $error) {
            if (($error->errorInfo[1] ?? null) !== 1062) { // not the unique index
                throw $error;
            }
        }
        $takeOver = 'UPDATE idempotent_record SET status = 1, update_time = NOW() WHERE biz_type = ? AND biz_id = ?'
            . ' AND (status = 3 OR status = 1 AND update_time < NOW() - INTERVAL ? SECOND)';
        if ($this->sql($takeOver, [...$of, self::LEASE_S])->rowCount() === 1) {
            return ['taken_over', self::PROCESSING];
        }
        $status = $this->sql('SELECT status FROM idempotent_record WHERE biz_type = ? AND biz_id = ?', $of)->fetchColumn();
        return ['exists', $status === false ? self::PROCESSING : (int) $status];
    }

    /** Effect and completion commit together: of two that believe the record theirs, one. */
    private function handle(Delivery $delivery, callable $work): string
    {
        $this->db->beginTransaction();
        try {
            $work($this->db, $delivery);
            if ($this->ended($delivery, self::COMPLETED)) {
                $this->db->commit();
                return 'completed';
            }
            $this->db->rollBack();
            return 'fenced';
        } catch (\Throwable $error) {
            error_log("consumer: $delivery->type $delivery->key is not handled: {$error->getMessage()}");
            $this->db->rollBack();
            $dead = $error instanceof Rejected;
            $this->ended($delivery, $dead ? self::DEAD : self::FAILED);
            return $dead ? 'dead' : 'failed';
        }
    }

    private function ended(Delivery $delivery, int $status): bool
    {
        $update = 'UPDATE idempotent_record SET status = ? WHERE biz_type = ? AND biz_id = ? AND status = 1';
        return $this->sql($update, [$status, $delivery->type, $delivery->key])->rowCount() === 1;
    }

    private function sql(string $sql, array $values): \PDOStatement
    {
        $statement = $this->db->prepare($sql);
        $statement->execute($values);
        return $statement;
    }

    private function told(Delivery $delivery, string $outcome, string $lock, ?string $record = null, ?int $ms = null): string
    {
        $duplicate = str_starts_with($outcome, 'dup_');
        $this->reports->count($delivery->type, $outcome, $ms, $duplicate ? $delivery->queue : null,
            $duplicate ? ($delivery->redelivered ? 'redelivery' : 'producer') : null);
        if ([$record, $outcome] !== ['inserted', 'completed']) { // what went well needs no trace
            $this->reports->trace($delivery->type, $delivery->key,
                ['delivery' => $delivery->number] + compact('lock', 'record', 'outcome'));
        }
        return match ($outcome) {
            'deferred', 'failed', 'fenced' => 'later',
            'dead' => 'dead_letter',
            default => 'ack',
        };
    }
}
