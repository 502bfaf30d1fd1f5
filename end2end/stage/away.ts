// A source of which no store ever answers.

import { freePort } from "./program.ts";

export async function away(): Promise<string> {
  const nobody = `nobody:hidden@127.0.0.1:${await freePort()}`;
  return `
[[source]]
name = "away"
[source.records]
url = "mysql://${nobody}/none"
preset = "idempotent_record"
[source.records.status]
failed = [3]
dead = [4]
[source.locks]
url = "redis://${nobody}"
pattern = "lock:{type}:{key}"
ttl = "15s"
[[source.broker]]
kind = "rabbitmq"
url = "http://${nobody}"
vhost = "none"
queues = ["none.*"]
dead_letter = "none.dlq"
`;
}
