// Months of history: hours, which a console makes of its minutes before they go, are written here as it would have made them.

import { createAdmin, expect, hydrated, stranger, test } from "../stage/test.ts";
import { accessible, fits } from "../stage/expect.ts";
import { Console } from "../stage/console.ts";
import { mariadb, mariadbUrl } from "../stage/stores.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Two thousand hours that ended nine days ago; each day at noon UTC there was a peak. */
async function livedThrough(state: string): Promise<void> {
  const last = Math.floor(Date.now() / HOUR) * HOUR - 9 * DAY;
  const hour = `${last} - seq * ${HOUR}`;
  const peak = `IF((${hour}) % ${DAY} = ${12 * HOUR}, 40, seq % 7)`;
  const [counts, zeros] = [
    ["first", "dup_lock", "dup_index", "conflict", "completed"],
    ["takeover", "dup_status", "dup_guard", "late", "refused", "deferred", "failed", "dead", "degraded", "lock_lost", "fenced", "leaked"],
  ].map((signals) => signals.map((signal) => `sig_${signal}`));
  await mariadb(
    `INSERT INTO oncewatch_hour (source, type, hour, processing, aging) SELECT 'points', '', ${hour}, 50, ${peak} FROM seq_1_to_2000;
    INSERT INTO oncewatch_signal_hour (source, type, hour, ${[...counts!, ...zeros!]}, handled, handling, originated, origins, alive)
      SELECT 'points', kind.name, ${hour}, 1000, ${peak}, 3, 9, 1000, ${zeros!.map(() => 0)}, 100, '700:98 3000:2', 0,
        '{"from":{},"causes":{}}', '["worker-3"]'
      FROM seq_1_to_2000, (SELECT '' AS name UNION SELECT 'ORDER_DONE') kind`,
    state,
  );
}

test("months are shown by the day, and a drag leads to the hours of a few", async ({ browser, teams }) => {
  const state = `${teams.id}_console`;
  await mariadb(`CREATE DATABASE ${state}`);
  const console = await Console.start(teams.sources, { state: mariadbUrl(state) });
  const { page, heard } = await stranger(browser, console);
  try {
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    await livedThrough(state);

    await page.goto("/s/points/overview");
    await page.locator(".menu--range summary").click();
    await page.getByRole("link", { name: /Last 90\sd/ }).click();
    await expect(page).toHaveURL(/\/overview\?range=90d$/);
    const layers = page.locator("#layers");
    await expect(layers.locator(".panel__sub")).toContainText(/^Per day \(UTC\); .* In 90\sd: [\d,]+ deliveries/);
    await expect(layers.locator(".numbers tbody tr")).toHaveCount(90);
    await expect(layers.getByRole("link", { name: /^CSV/ })).toHaveAttribute("href", /table=layers&range=90d$/);
    // Days in between: 24 hours, each with its thousand; the source's zone is eight hours ahead.
    const middle = layers.locator(".numbers tbody tr").nth(40).locator("td");
    await expect(middle.first()).toHaveText(/^\d\d-\d\d 08:00$/);
    expect(Number((await middle.nth(1).textContent())!.replaceAll(",", ""))).toBeGreaterThan(24_000);
    await hydrated(page);
    await accessible(page);
    await fits(page);

    const chart = layers.locator(".plot__over");
    await chart.scrollIntoViewIfNeeded();
    const box = (await chart.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await expect(page).toHaveURL(/\/overview\?from=[\dT:-]+Z&to=[\dT:-]+Z$/);
    const { searchParams } = new URL(page.url());
    const lasts = Date.parse(searchParams.get("to")!) - Date.parse(searchParams.get("from")!);
    expect(lasts % DAY, "whole days").toBe(0);
    expect(lasts).toBeLessThan(20 * DAY);
    await expect(layers.locator(".panel__sub")).toContainText(/^Per (hour|6\sh);/);

    await page.goto("/s/points/overview?range=400d");
    await expect(layers.locator(".numbers tbody tr")).toHaveCount(400);
    await expect(layers.locator(".numbers tbody td").first(), "with its year").toHaveText(/^\d{4}-\d\d-\d\d 08:00$/);
    expect(heard).toEqual([]);
  } finally {
    await page.context().close();
    await console.stop();
    await mariadb(`DROP DATABASE ${state}`);
  }
});
