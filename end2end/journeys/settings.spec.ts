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
