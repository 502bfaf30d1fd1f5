import { expect, test } from "../stage/test.ts";
import { COMPLETED } from "../stage/team.ts";

test("a filter stands in the address and survives it", async ({ page }) => {
  await page.goto("/s/points/records");
  await page.getByRole("navigation", { name: "By status" }).getByRole("link", { name: /^failed/ }).click();
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect(page.locator("tbody tr")).toContainText("failed-1");
  await page.getByLabel("Only this type").fill("ORDER_DONE");
  await page.getByLabel("Only this type").press("Enter");
  await expect(page).toHaveURL(/status=failed&type=ORDER_DONE$/);
  await expect(page.locator(".state__title")).toContainText("ORDER_DONE");
  await page.reload();
  await page.getByRole("link", { name: "Remove type:ORDER_DONE" }).click();
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(page.locator("tbody tr")).toHaveCount(1);
});

test("paging shows every row once, forward and back", async ({ page }) => {
  await page.goto("/s/points/records?status=completed");
  const keys = () => page.locator("tbody .key").allTextContents();
  const seen: string[][] = [await keys()];
  const older = page.getByRole("link", { name: "Older" });
  while ((await older.getAttribute("aria-disabled")) === null) {
    await older.click();
    await page.waitForLoadState();
    const rows = await keys();
    if (rows.length > 0) seen.push(rows);
    expect(seen.length, "pages").toBeLessThan(12);
  }
  const all = seen.flat();
  expect(new Set(all).size, "no row twice").toBe(all.length);
  const ours = all.filter((key) => /done-\d{4}/.test(key));
  expect(ours.length, "no row left out").toBe(COMPLETED);
  expect([...ours].sort().reverse(), "newest first").toEqual(ours);
  for (const page_ of seen.slice(0, -1).reverse()) {
    await page.getByRole("link", { name: "Newer" }).click();
    await page.waitForLoadState();
    expect(await keys()).toEqual(page_);
  }
});

test("a row leads to its record in all three layers", async ({ page }) => {
  await page.goto("/s/points/records?status=failed");
  await page.getByRole("link", { name: "failed-1" }).click();
  await expect(page).toHaveURL(/\/s\/points\/records\/[0-9a-f]+$/);
  await expect(page.locator("main")).toContainText("insufficient balance");
  await expect(page.locator("main")).toContainText("REFUND_DONE");
});

test.describe("errors", () => {
  test.use({ excused: [/status of 4\d\d/] });

  test("a status that is none is refused in words", async ({ page }) => {
    const answer = await page.goto("/s/points/records?status=lost");
    expect(answer?.status()).toBe(400);
    await expect(page.locator("main")).toContainText("processing, completed, failed, dead, unmapped");
  });

  test("an unknown page, source and record say so and lead on", async ({ page }) => {
    for (const path of ["/nowhere", "/s/nobody/overview", "/s/points/records/5b5d"]) {
      const answer = await page.goto(path);
      expect([400, 404], path).toContain(answer?.status());
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.locator("main").getByRole("link").first()).toBeVisible();
    }
  });
});
