// A list stands still under its reader: what comes is announced, and while somebody selects, reads a menu or types, nothing
// moves at all.

import { expect, hydrated, type Page, test } from "../stage/test.ts";
import { accessible, fits } from "../stage/expect.ts";
import type { Teams } from "../stage/team.ts";

function announced(page: Page, rows: string) {
  return page.getByRole("link", { name: `Show ${rows}`, exact: true });
}

async function keys(page: Page): Promise<string[]> {
  return page.locator("tbody .key").allTextContents();
}

/** Records that begin and end at once. */
async function come(teams: Teams, ...names: string[]): Promise<void> {
  const rows = names.map((name) => `('${name}', 'ORDER_DONE', 2, NOW(), NOW())`);
  await teams.points(`INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time) VALUES ${rows.join(", ")}`);
}

test.afterEach(async ({ teams }) => {
  await teams.points("DELETE FROM idempotent_record WHERE biz_id LIKE 'came-%' OR biz_id LIKE 'crowd-%'");
});

test("records that come wait behind their number, and are shown when they are asked for", async ({ page, teams }) => {
  await page.goto("/s/points/records");
  await hydrated(page);
  const before = await keys(page);
  const height = await page.locator("tbody").boundingBox();
  await come(teams, "came-1", "came-2");
  const chip = announced(page, "2 new rows");
  await expect(chip).toHaveText("2 new");
  expect(await keys(page), "no row has moved").toEqual(before);
  expect(await page.locator("tbody").boundingBox()).toEqual(height);
  await accessible(page);
  await fits(page);
  await come(teams, "came-3");
  await expect(announced(page, "3 new rows")).toBeVisible();

  await announced(page, "3 new rows").click();
  await expect(page.locator("tbody .key").first()).toHaveText("came-3");
  expect((await keys(page)).slice(0, 3)).toEqual(["came-3", "came-2", "came-1"]);
  await hydrated(page);
  await expect(page.locator(".newer a")).toBeHidden();
});

test("a filter counts only what it would show, and a second page counts nothing", async ({ page, teams }) => {
  await page.goto("/s/points/records?status=completed&type=REFUND_DONE");
  await hydrated(page);
  await come(teams, "came-4");
  await teams.points(`INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    VALUES ('came-5', 'REFUND_DONE', 2, NOW(), NOW())`);
  await expect(announced(page, "1 new row")).toBeVisible();
  await announced(page, "1 new row").click();
  await expect(page.locator("tbody .key").first()).toHaveText("came-5");
  await page.getByRole("link", { name: "Older" }).click();
  await expect(page).toHaveURL(/cursor=/);
  await expect(page.locator("[data-newer]")).toHaveCount(0);
});

test("a lock that comes is announced too", async ({ page, teams }) => {
  await page.goto("/s/points/locks?state=held");
  await hydrated(page);
  const before = await keys(page);
  const lock = await teams.begin("came-6");
  await expect(announced(page, "1 new row")).toHaveText("1 new");
  expect(await keys(page)).toEqual(before);
  await announced(page, "1 new row").click();
  await expect(page.locator("tbody .key", { hasText: "ORDER_DONE:came-6" })).toBeVisible();
  await teams.redis.command("DEL", lock);
});

test("while text is selected nothing moves, and the bar says so and counts on", async ({ page, teams }) => {
  await page.goto("/s/points/overview");
  await hydrated(page);
  const ready = page.locator(".tile", { hasText: "Ready" }).locator(".tile__value");
  const badge = page.locator(".bar .fresh");
  await expect(ready).toHaveText("3");
  await page.getByRole("heading", { level: 1 }).selectText();
  await expect(badge).toHaveText("Paused");
  await expect(badge).toHaveAttribute("title", "Paused while text or rows are selected");
  await teams.vhost.publish("points.refund", "{}");
  await expect
    .poll(async () => (await (await page.request.get("/api/sources/points/brokers")).json()).brokers[0].body.queues[2].ready)
    .toBe(1);
  await expect(badge).toHaveText("Paused");
  await expect(ready).toHaveText("3");
  await page.evaluate(() => getSelection()!.removeAllRanges());
  await expect(badge).toHaveText("Live");
  await expect(ready).toHaveText("4");
  await teams.vhost.take("points.refund");
  await expect(ready).toHaveText("3");

  await page.goto("/s/points/records");
  await hydrated(page);
  await page.locator("tbody .key").first().selectText();
  await expect(badge).toHaveText("Paused");
  await come(teams, "came-7");
  await expect(announced(page, "1 new row")).toBeVisible();
  await expect(badge).toHaveText("Paused");
});

test("while a field has input nothing moves", async ({ page }) => {
  await page.goto("/s/points/records");
  await hydrated(page);
  const badge = page.locator(".bar .fresh");
  await page.getByLabel("Add a qualifier or a key").fill("key:");
  await expect(badge).toHaveAttribute("title", "Paused while a field has input");
  await page.getByLabel("Add a qualifier or a key").fill("");
  await expect(badge).toHaveText("Live");
});

test("more than sixty locks of a state are shown page after page", async ({ page, teams }) => {
  await teams.points(`INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    SELECT CONCAT('crowd-', LPAD(seq, 2, '0')), 'ORDER_DONE', 1, NOW() - INTERVAL 50 MINUTE, NOW() - INTERVAL 50 MINUTE FROM seq_1_to_70`);
  const all = (command: string) =>
    teams.redis.command("EVAL", `for i = 1, 70 do ${command} end`, "1", teams.lockKey("ORDER_DONE", "crowd-"));
  await all("redis.call('SET', KEYS[1] .. string.format('%02d', i), 'worker-' .. i, 'PX', 3600000 + i * 1000)");
  try {
    await expect(async () => {
      await page.goto("/s/points/locks");
      await expect(page.getByRole("link", { name: /^All 7\d held$/ })).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 30_000 });
    await page.getByRole("link", { name: /^All 7\d held$/ }).click();
    await expect(page).toHaveURL(/\/locks\?state=held$/);
    await expect(page.locator("tbody tr[data-row]")).toHaveCount(60);
    const seen = await keys(page);
    await page.getByRole("link", { name: "Next" }).click();
    await expect(page).toHaveURL(/\/locks\?state=held&after=\d+\./);
    seen.push(...(await keys(page)));
    expect(new Set(seen).size, "no lock twice").toBe(seen.length);
    expect(seen.filter((key) => key.includes("crowd-")), "none left out").toHaveLength(70);
    await expect(page.getByRole("link", { name: "Next" })).toHaveCount(0);
    await page.getByRole("link", { name: "First", exact: true }).click();
    await expect(page).toHaveURL(/\/locks\?state=held$/);
    const file = await (await page.request.get("/api/sources/points/locks.csv?state=held&q=crowd")).text();
    expect(file.trimEnd().split("\r\n"), "a file has them all").toHaveLength(71);
  } finally {
    await all("redis.call('DEL', KEYS[1] .. string.format('%02d', i))");
  }
});

test("handling times that consumers report say so, and beat the estimate", async ({ page }) => {
  await page.goto("/s/points/locks");
  const fit = page.locator(".panel", { has: page.getByRole("heading", { name: "TTL fit" }) });
  await expect(fit.locator("tbody tr", { hasText: "ORDER_DONE" })).toContainText(/reported, [\d,]+ in the last hour/);
  await expect(fit.locator("tbody tr", { hasText: "ORDER_DONE" })).not.toContainText("≈");
});

test.describe("on a phone", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("the number lies over the page and pushes nothing", async ({ page, teams }) => {
    await page.goto("/s/points/records");
    await hydrated(page);
    const before = await page.locator("tbody").boundingBox();
    await come(teams, "came-8");
    const chip = announced(page, "1 new row");
    await expect(chip).toBeVisible();
    expect(await page.locator("tbody").boundingBox()).toEqual(before);
    expect((await chip.boundingBox())!.height).toBeGreaterThanOrEqual(40);
    await accessible(page);
    await fits(page);
    await chip.tap();
    await expect(page.locator("tbody .key").first()).toHaveText("came-8");
  });
});
