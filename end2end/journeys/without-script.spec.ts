import { answered, expect, type Page, test } from "../stage/test.ts";
import { ADMIN } from "../stage/console.ts";
import { orphan } from "../stage/orphan.ts";
import { EMPTY, PLACES } from "../stage/places.ts";

// Chromium warns that what it preloaded for the script was not used.
const PRELOADED = /oncewatch\.wasm was preloaded using link preload but not used/;

test.use({ javaScriptEnabled: false, excused: PRELOADED });

for (const { name, path, shows, status } of [...PLACES, ...EMPTY]) {
  test.describe(name, () => {
    test.use({ excused: status ? answered(path, status) : PRELOADED });

    test("is complete without script", async ({ page }) => {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      for (const part of shows) {
        const parts = page.locator("main").locator(part);
        expect(await parts.count(), part).toBeGreaterThan(0);
        for (const text of await parts.allTextContents()) expect(text.trim(), part).not.toBe("");
      }
      await expect(page.locator("[data-copy]:not([hidden])"), "buttons that need script are hidden").toHaveCount(0);
    });
  });
}

test("the Overview's figures and its chart are the server's", async ({ page }) => {
  await page.goto("/s/points/overview");
  const figures = page.locator(".tile .tile__value");
  await expect(figures).toHaveCount(14);
  const figure = (name: string) => page.locator(".tile", { hasText: name }).locator(".tile__value");
  for (const name of ["Aging pending", "Processing", "Failed", "Wrong locks", "Locks held", "Ready", "Dead letter"]) {
    await expect(figure(name)).toHaveText(/^\d+$/);
  }
  await expect(figure("Duplicate rate")).toHaveText(/^\d.*%$/);
  const panel = page.locator(".panel", { has: page.getByRole("heading", { name: "Processing records by age" }) });
  await expect(panel.locator("svg.chart rect").first()).toBeVisible();
  await panel.getByText("The same as a table").click();
  await expect(panel.locator("tbody tr").first()).toBeVisible();
});

test("another time is chosen by links and by a form", async ({ page }) => {
  await page.goto("/s/points/overview");
  await page.locator(".menu--range summary").click();
  await page.getByRole("link", { name: /Last 6\sh/ }).click();
  await expect(page).toHaveURL(/\/overview\?range=6h$/);
  await page.locator(".menu--range summary").click();
  await page.getByLabel("From").fill("-2h");
  await page.getByLabel("To", { exact: true }).fill("-1h");
  await page.getByRole("button", { name: "Show this range" }).click();
  await expect(page).toHaveURL(/\/overview\?from=-2h&to=-1h$/);
  await expect(page.locator(".menu--range summary")).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d – /);
  await page.getByRole("link", { name: "Zoom out" }).click();
  await expect(page).toHaveURL(/\?from=[\dT:-]+Z&to=[\dT:-]+Z$/);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: /^CSV Overview$/ }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^points-course-[\dTZ-]+\.csv$/);
});

test("filter, page, look up and release work without script", async ({ page, teams }) => {
  await page.goto("/s/points/records");
  await page.getByRole("link", { name: /^completed/ }).click();
  await expect(page).toHaveURL(/\?status=completed$/);
  await page.getByRole("link", { name: "Older" }).click();
  await expect(page).toHaveURL(/&cursor=/);
  await expect(page.locator("tbody tr").first()).toBeVisible();
  await page.getByLabel("Add a qualifier or a key").fill("key:done-0001");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page).toHaveURL(/\/records\?status=completed&q=key%3Adone-0001$/);
  await expect(page.locator("tbody .key")).toHaveText(["done-0001"]);
  await page.getByRole("link", { name: "Remove key:done-0001" }).click();
  await expect(page).toHaveURL(/\/records\?status=completed$/);
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

test("signing in, language, theme and signing out work without script", async ({ guest }) => {
  await guest.goto("/s/points/records?status=failed");
  await guest.getByLabel("Name").fill(ADMIN.name);
  await guest.getByLabel("Password").fill(ADMIN.password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest).toHaveURL(/\/s\/points\/records\?status=failed$/);

  await choose(guest, "/preferences", "简体中文");
  await expect(guest.locator("html")).toHaveAttribute("lang", "zh-CN");
  await choose(guest, "/preferences", "深色");
  await expect(guest.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(guest).toHaveURL(/\/s\/points\/records\?status=failed$/);

  await choose(guest, "/signout", "退出登录");
  await expect(guest).toHaveURL(/\/signin/);
  await guest.goto("/s/points/overview");
  await expect(guest, "the session is over").toHaveURL(/\/signin/);
});

/** A button of the menu whose form is sent there. */
async function choose(page: Page, action: string, name: string) {
  const menu = page.locator(".bar details.menu", { has: page.locator(`form[action="${action}"]`) });
  await menu.locator("summary").click();
  await menu.getByRole("button", { name }).click();
}
