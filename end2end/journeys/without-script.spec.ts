import { expect, test } from "../stage/test.ts";
import { orphan } from "../stage/orphan.ts";
import { PLACES } from "../stage/places.ts";

// Chromium warns that what it preloaded for the script was not used.
test.use({ javaScriptEnabled: false, excused: /preloaded using link preload but not used/ });

for (const { name, path } of PLACES) {
  test(`${name} is complete without script`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("main")).not.toBeEmpty();
    await expect(page.locator("[data-copy]:not([hidden])"), "buttons that need script are hidden").toHaveCount(0);
  });
}

test("filter, page, look up and release work without script", async ({ page, teams }) => {
  await page.goto("/s/points/records");
  await page.getByRole("link", { name: /^completed/ }).click();
  await page.getByRole("link", { name: "Older" }).click();
  await expect(page.locator("tbody tr").first()).toBeVisible();
  await page.getByLabel("Look a key up in all three layers").fill("failed-1");
  await page.getByLabel("Look a key up in all three layers").press("Enter");
  await expect(page.locator(".verdict")).toBeVisible();

  const { redisKey, row } = await orphan(page, teams, "left-plain");
  await row.getByText("Release lock").click();
  await row.getByLabel("Reason, kept in the audit").fill("left behind");
  await row.getByRole("button", { name: "Release this lock" }).click();
  await expect(page.locator(".toast")).toContainText(redisKey);
  expect(await teams.redis.command("EXISTS", redisKey)).toBe("0");
});
