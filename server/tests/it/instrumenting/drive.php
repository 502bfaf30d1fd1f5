<?php
// Runs docs/instrumenting/*.php for the tests: settings as the first argument, one JSON order a line, one answer each.
declare(strict_types=1);

use Oncewatch\{Consumer, Delivery, HttpReports, RedisLine, RedisReports, Rejected};

$settings = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);
require $settings['files'] . '/consumer.php';

$consume = null;
if (isset($settings['ingest'])) {
    ['ingest' => $ingest, 'token' => $token, 'source' => $source, 'instance' => $instance] = $settings;
    $reports = new HttpReports($ingest, $token, $source, $instance, timeoutS: 60);
} else {
    $line = new RedisLine($settings['redis']['host'], $settings['redis']['port'], 10);
    $reports = new RedisReports($line, $settings['source'], $settings['instance'], "$settings[prefix]_stat");
    ['host' => $host, 'port' => $port, 'user' => $user, 'password' => $password, 'database' => $name] = $settings['database'];
    $connect = fn () => new PDO("mysql:host=$host;port=$port;dbname=$name;charset=utf8mb4", $user, $password,
        [PDO::MYSQL_ATTR_INIT_COMMAND => "SET time_zone = '+00:00'"]);
    $consumer = new Consumer($line, $connect(), $reports, $settings['prefix']);

    $consume = function (array $order) use ($consumer, $line, $connect): string {
        $work = function (PDO $db, Delivery $delivery) use ($order, $line, $connect): void {
            $db->prepare('INSERT INTO credited (biz_id) VALUES (?)')->execute([$delivery->key]);
            usleep(1000 * ($order['takes_ms'] ?? 0));
            if (isset($order['meanwhile_sql'])) {
                $connect()->exec($order['meanwhile_sql']);
            }
            if (isset($order['meanwhile_redis'])) {
                $line->ask(fn (Redis $redis) => $redis->rawCommand(...$order['meanwhile_redis']));
            }
            match ($order['ends'] ?? '') {
                'failed' => throw new RuntimeException('the points service is away'),
                'rejected' => throw new Rejected('there is no such account'),
                '' => null,
            };
        };
        return $consumer->consume(new Delivery(...$order['delivery']), $work);
    };
}

while (($order = fgets(STDIN)) !== false) {
    $order = json_decode($order, true, flags: JSON_THROW_ON_ERROR);
    if (isset($order['count'])) {
        $reports->count(...$order['count']);
    }
    if (isset($order['trace'])) {
        ['type' => $type, 'key' => $key] = $order['trace'];
        $reports->trace($type, $key, array_diff_key($order['trace'], ['type' => 0, 'key' => 0]));
    }
    $settled = isset($order['delivery']) ? $consume($order) : null;
    $reports->flush();
    echo json_encode(['settled' => $settled]), "\n";
}
