// A source that may be written to and has an archive: a table of its own, in the busy team's database.

import { mariadbUrl } from "./stores.ts";
import type { Teams } from "./team.ts";

/** Two records are old enough, one is young and one stands still. Gives the `[[source]]` section. */
export async function ledger(teams: Teams, table: string): Promise<string> {
  await teams.points(`
    DROP TABLE IF EXISTS ${table}, ${table}_archive;
    CREATE TABLE ${table} LIKE idempotent_record;
    INSERT INTO ${table} (biz_id, biz_type, status, create_time, update_time) VALUES
      ('old-1', 'ORDER_DONE', 2, NOW() - INTERVAL 40 DAY, NOW() - INTERVAL 40 DAY),
      ('old-2', 'ORDER_DONE', 2, NOW() - INTERVAL 35 DAY, NOW() - INTERVAL 35 DAY),
      ('stuck-9', 'ORDER_DONE', 1, NOW() - INTERVAL 33 DAY, NOW() - INTERVAL 33 DAY),
      ('young-1', 'ORDER_DONE', 2, NOW() - INTERVAL 2 HOUR, NOW() - INTERVAL 2 HOUR)`);
  return `
[[source]]
name = "ledger"
timezone = "Asia/Shanghai"
[source.records]
url = "${mariadbUrl(teams.id)}"
preset = "idempotent_record"
table = "${table}"
[source.records.status]
failed = [3]
dead = [4]
[source.records.write]
[source.archive]
keep = "30d"
table = "${table}_archive"
schedule = "0 3 * * *"
window = "2h"
`;
}
