<?php
// What a consumer reports, into Redis or by HTTP. count() and trace() only add to memory; tick() in the consumer's loop
// sends it, and never throws.
declare(strict_types=1);
namespace Oncewatch;

abstract class Reports
{
    private const BOUNDS_MS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000,
        5000, 7000, 10000, 15000, 20000, 30000, 60000];
    protected const JSON = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR;

    /** By minute, then by what is counted. */
    protected array $counts = [];
    protected array $traces = [];
    private float $due = 0;
    private string $aliveIn = '';

    public function __construct(public readonly string $source, public readonly string $instance, private float $everyS) {}

    abstract protected function send(): void;

    /** $ms: how long it was handled. $origin, $cause: where a duplicate came from. */
    public function count(string $type, string $signal, ?int $ms = null, ?string $origin = null, ?string $cause = null): void
    {
        $bound = $ms === null ? null : (current(array_filter(self::BOUNDS_MS, fn ($bound) => $ms <= $bound)) ?: 'inf');
        $of = serialize([$type, $signal, $bound, $origin, $cause]);
        $minute = gmdate('Y-m-d\TH:i:00\Z');
        $this->counts[$minute][$of] = ($this->counts[$minute][$of] ?? 0) + 1;
    }

    /** $entry: delivery, lock, record, outcome. */
    public function trace(string $type, string $key, array $entry): void
    {
        $entry = ['at' => gmdate('Y-m-d\TH:i:s\Z'), 'worker' => $this->instance] + $entry;
        $this->traces = array_slice([...$this->traces, [$type, $key, $entry]], -1000);
    }

    /** After each message, and at least once a minute also when none comes. */
    public function tick(): void
    {
        if (hrtime(true) / 1e9 >= $this->due) {
            $this->flush();
        }
    }

    /** At the end of the process. What is not taken goes with the next, for an hour. */
    public function flush(): void
    {
        $this->due = hrtime(true) / 1e9 + $this->everyS;
        if ($this->aliveIn !== gmdate('H:i')) {
            $this->aliveIn = gmdate('H:i');
            $this->count('', 'alive', origin: $this->instance);
        }
        $oldest = gmdate('Y-m-d\TH:i:00\Z', time() - 3600);
        $this->counts = array_filter($this->counts, fn ($minute) => $minute >= $oldest, ARRAY_FILTER_USE_KEY);
        try {
            $this->send();
        } catch (\Throwable $error) { // whatever it is, it is not worth a message
            error_log("oncewatch: reports wait: {$error->getMessage()}");
        }
    }

    /** Rows of minute, type, signal, bound, origin, cause, number. */
    protected function counted(): iterable
    {
        foreach ($this->counts as $minute => $counts) {
            foreach ($counts as $of => $n) {
                yield [$minute, ...unserialize($of), $n];
            }
        }
    }
}

final class RedisReports extends Reports
{
    public function __construct(private RedisLine $redis, string $source, string $instance,
        private string $prefix = 'idem_stat', float $everyS = 1)
    {
        parent::__construct($source, $instance, $everyS);
    }

    protected function send(): void
    {
        $this->redis->ask(function (\Redis $redis): void {
            $report = $redis->pipeline()->multi(); // all of it or nothing
            foreach ($this->counted() as [$minute, $type, $signal, $bound, $origin, $cause, $n]) {
                $hash = "$this->prefix:$this->source:" . preg_replace('/\D/', '', substr($minute, 0, 16)) . ':0';
                foreach ($this->fields($signal, $bound, $origin, $cause) as $field) {
                    $report->hIncrBy($hash, self::escaped($type) . "|$field", $n);
                }
                $report->expire($hash, 48 * 3600);
            }
            foreach ($this->traces as [$type, $key, $entry]) {
                $trace = "idem_trace:$this->source:$type:$key";
                $report->lPush($trace, json_encode($entry, self::JSON));
                $report->lTrim($trace, 0, 19);
                $report->expire($trace, 24 * 3600);
            }
            $report->exec();
            $answers = $report->exec();
            if (!is_array($answers[0] ?? null)) {
                throw new \RedisException($redis->getLastError() ?? 'a report was not taken');
            }
            $this->counts = $this->traces = [];
        });
    }

    private function fields(string $signal, int|string|null $bound, ?string $origin, ?string $cause): array
    {
        if ($signal === 'alive') {
            return ['alive|' . self::escaped($origin)];
        }
        $details = ['ms' => $bound, 'from' => $origin === null ? null : self::escaped($origin), 'cause' => $cause];
        $details = array_filter($details, fn ($of) => $of !== null);
        return [$signal, ...array_map(fn ($name, $of) => "$name|$of", array_keys($details), $details)];
    }

    private static function escaped(string $name): string
    {
        return strtr($name, ['%' => '%25', '|' => '%7C']);
    }
}

/** A connection that is made when it is needed, and made anew after an error. */
final class RedisLine
{
    private ?\Redis $redis = null;

    public function __construct(private string $host, private int $port = 6379, private float $timeoutS = 0.2) {}

    /** @throws \RedisException also for what Redis refuses */
    public function ask(\Closure $question): mixed
    {
        try {
            if ($this->redis === null) {
                $redis = new \Redis();
                $redis->connect($this->host, $this->port, $this->timeoutS, null, 0, $this->timeoutS);
                $this->redis = $redis;
            }
            $this->redis->clearLastError();
            $answer = $question($this->redis);
            if ($this->redis->getLastError() !== null) {
                throw new \RedisException($this->redis->getLastError());
            }
            return $answer;
        } catch (\RedisException $error) {
            $this->redis = null;
            throw $error;
        }
    }
}

final class HttpReports extends Reports
{
    private array $lines = [];
    private ?array $unanswered = null;

    /** $url: https://…/api/ingest. The source has kind = "http". */
    public function __construct(private string $url, private string $token, string $source, string $instance,
        float $everyS = 5, private float $timeoutS = 1)
    {
        parent::__construct($source, $instance, $everyS);
    }

    protected function send(): void
    {
        foreach ($this->counted() as [$at, $type, $signal, $bound, $from, $cause, $n]) {
            $ms = $bound === 'inf' ? 60_001 : $bound;
            $this->add(compact('at', 'type', 'signal', 'n', 'ms', 'from', 'cause'));
        }
        foreach ($this->traces as [$type, $key, $entry]) {
            $this->add(compact('type', 'key') + $entry);
        }
        $this->counts = $this->traces = [];
        $this->lines = array_slice($this->lines, -10_000);
        while ($this->lines || $this->unanswered) {
            $this->post();
        }
    }

    private function add(array $line): void
    {
        $this->lines[] = json_encode(['source' => $this->source] + $line, self::JSON);
    }

    /** What had no answer is sent again as it was, under the same key: it is taken once. */
    private function post(): void
    {
        $this->unanswered ??= [bin2hex(random_bytes(16)), implode("\n", array_splice($this->lines, 0, 100))]; // it takes 64 KB
        [$once, $body] = $this->unanswered;
        $answer = @fopen($this->url, 'r', false, stream_context_create(['http' => [
            'method' => 'POST', 'timeout' => $this->timeoutS, 'ignore_errors' => true,
            'header' => ["Authorization: Bearer $this->token", "Idempotency-Key: $once", 'Content-Type: application/x-ndjson'],
            'content' => $body,
        ]]));
        $status = $answer ? (int) explode(' ', stream_get_meta_data($answer)['wrapper_data'][0])[1] : 0;
        if (in_array($status, [400, 413, 422], true)) {
            error_log('oncewatch: these lines will never be taken: ' . stream_get_contents($answer));
        } elseif ($status !== 200) {
            throw new \RuntimeException($status ? "the console answers $status" : error_get_last()['message'] ?? 'no answer');
        }
        $this->unanswered = null;
    }
}
