import { expect, test } from "../stage/test.ts";
import { passwords } from "../stage/stores.ts";

test("how each source is read and why, without a secret", async ({ page }) => {
  await page.goto("/settings");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Settings");
  for (const source of ["points", "quiet"]) await expect(page.getByRole("heading", { name: source })).toBeVisible();
  await expect(page.locator("main")).toContainText("MariaDB");
  await expect(page.locator("main")).toContainText("PostgreSQL");
  await expect(page.locator("main")).toContainText("Asia/Shanghai");
  const page_ = await page.content();
  expect(passwords().length).toBeGreaterThan(0);
  for (const password of passwords()) expect(page_).not.toContain(password);
});

test("who reports, when last and what is missing", async ({ page }) => {
  await page.goto("/settings");
  const reports = page.locator(".panel", { has: page.getByRole("heading", { name: "What consumers report" }) });
  await expect(reports).toHaveCount(2);
  const [points, quiet] = [reports.first(), reports.last()];
  await expect(points).toContainText(/Redis hashes \w+_stat:points:<yyyyMMddHHmm>:<0\.\.7> at /);
  await expect(points).toContainText(/Last heard\d\d:\d\d:\d\d/);
  await expect(points).toContainText("order_event");
  await expect(points).toContainText("ORDER_DONE, REFUND_DONE");
  await expect(quiet).toContainText("Consumers report nothing here");
  await expect(page.getByRole("img", { name: "Reports not configured" }).first()).toBeVisible();
});
