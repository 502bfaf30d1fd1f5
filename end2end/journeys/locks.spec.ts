import { expect, type Page, test } from "../stage/test.ts";
import type { Teams } from "../stage/team.ts";

const REASON = "holder died after the commit";

/** A lock that its finished record left behind, and its row on the page. */
async function orphan(page: Page, teams: Teams, key: string) {
  const redisKey = await teams.leaveOrphan(key);
  const row = page.locator("tbody tr", { hasText: `ORDER_DONE:${key}` });
  await expect(async () => {
    await page.goto("/s/points/locks");
    await expect(row).toContainText("orphan", { timeout: 1_000 });
  }).toPass({ timeout: 45_000 });
  return { redisKey, row };
}

async function release(row: ReturnType<Page["locator"]>) {
  await row.getByText("Release lock").click();
  await row.getByLabel("Reason, kept in the audit").fill(REASON);
  await row.getByRole("button", { name: "Release this lock" }).click();
}

test("an orphan lock is released by its owner, with a reason", async ({ page, teams }) => {
  const { redisKey, row } = await orphan(page, teams, "left-1");
  await expect(row).toContainText("worker-5");
  await release(row);
  await expect(page.locator(".toast")).toContainText(redisKey);
  expect(await teams.redis.command("EXISTS", redisKey)).toBe("0");
  await page.getByRole("link", { name: "Dismiss" }).click();
  await expect(page.locator(".toast")).toHaveCount(0);
});

test("a lock that changed hands meanwhile is left alone", async ({ page, teams }) => {
  const { redisKey, row } = await orphan(page, teams, "left-2");
  await teams.redis.command("SET", redisKey, "worker-6", "PX", "3600000");
  await release(row);
  await expect(page.locator(".toast")).toHaveAttribute("role", "alert");
  expect(await teams.redis.command("GET", redisKey)).toBe("worker-6");
  await teams.redis.command("DEL", redisKey);
});

test("without a reason nothing is released", async ({ page, teams }) => {
  const { redisKey, row } = await orphan(page, teams, "left-3");
  await row.getByText("Release lock").click();
  await row.getByRole("button", { name: "Release this lock" }).click();
  expect(await teams.redis.command("EXISTS", redisKey)).toBe("1");
  await teams.redis.command("DEL", redisKey);
});

test("a lock under which somebody may work is not offered, and says why", async ({ page, teams }) => {
  await page.goto("/s/points/lookup?type=ORDER_DONE&key=alive-1");
  await expect(page.locator("main")).toContainText("A handler is, or may be, working under it.");
  expect(await teams.redis.command("EXISTS", teams.lockKey("ORDER_DONE", "alive-1"))).toBe("1");
});
