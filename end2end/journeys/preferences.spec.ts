import { expect, type Page, test } from "../stage/test.ts";

async function choose(page: Page, name: string | RegExp) {
  await page.locator(".bar details.menu", { has: page.locator('form[action="/preferences"]') }).locator("summary").click();
  await page.getByRole("button", { name }).click();
}

test("language and theme are chosen in the bar, come back to the same page and stay", async ({ page }) => {
  await page.goto("/s/points/records?status=failed");
  await choose(page, "简体中文");
  await expect(page).toHaveURL(/\/s\/points\/records\?status=failed$/);
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("记录");
  await choose(page, "深色");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.goto("/settings");
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const brightness = ground.match(/\d+/g)!.slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  expect(brightness, ground).toBeLessThan(200);
  await choose(page, "English");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Settings");
});

test("somebody who is not signed in can choose too", async ({ guest }) => {
  await guest.goto("/signin");
  await choose(guest, "简体中文");
  await expect(guest).toHaveURL(/\/signin/);
  await expect(guest.getByRole("button", { name: "登录" })).toBeVisible();
});
