import { expect, test } from "../stage/test.ts";

test("how each source is read and why, without a secret", async ({ page }) => {
  await page.goto("/settings");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Settings");
  for (const source of ["points", "quiet"]) await expect(page.getByRole("heading", { name: source })).toBeVisible();
  await expect(page.locator("main")).toContainText("MariaDB");
  await expect(page.locator("main")).toContainText("PostgreSQL");
  await expect(page.locator("main")).toContainText("Asia/Shanghai");
  expect(await page.content()).not.toMatch(/:\/\/[^/\s"]+:[^/\s"]+@/);
});
