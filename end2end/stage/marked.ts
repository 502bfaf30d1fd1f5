// Records that a test may operate on: `op-1`, `op-2`, … of the busy team.

import type { Teams } from "./team.ts";

export const FAILED = 3;

/** So many failed an hour ago. */
export async function fail(teams: Teams, count: number): Promise<void> {
  await teams.points(`REPLACE INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    SELECT CONCAT('op-', seq), 'REFUND_DONE', ${FAILED}, NOW() - INTERVAL 1 HOUR, NOW() - INTERVAL 1 HOUR FROM seq_1_to_${count}`);
}

/** The status of each, by its key. */
export async function marked(teams: Teams): Promise<Record<string, number>> {
  const said = await teams.points("SELECT CONCAT(biz_id, '=', status) FROM idempotent_record WHERE biz_id LIKE 'op-%' ORDER BY biz_id");
  return Object.fromEntries(said.split("\n").flatMap((line) => {
    const found = /^(op-\d+)=(\d+)$/.exec(line.trim());
    return found ? [[found[1]!, Number(found[2])]] : [];
  }));
}

export async function forget(teams: Teams): Promise<void> {
  await teams.points("DELETE FROM idempotent_record WHERE biz_id LIKE 'op-%'");
}
