import { answered, expect, type Page, test } from "../stage/test.ts";
import { COMPLETED } from "../stage/team.ts";

test("a filter stands in the address and survives it", async ({ page }) => {
  await page.goto("/s/points/records");
  await page.getByRole("navigation", { name: "By status" }).getByRole("link", { name: /^failed/ }).click();
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expect(page.locator("tbody tr")).toContainText("failed-1");
  await page.getByLabel("Add a qualifier or a key").fill("type:ORDER_DONE");
  await page.getByLabel("Add a qualifier or a key").press("Enter");
  await expect(page).toHaveURL(/status=failed&type=ORDER_DONE$/);
  await expect(page.locator(".state__title")).toContainText("ORDER_DONE");
  await page.reload();
  await page.getByRole("link", { name: "Remove type:ORDER_DONE" }).click();
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(page.locator("tbody tr")).toHaveCount(1);
});

test("a search is put together term by term, and taken apart again", async ({ page }) => {
  const box = page.getByLabel("Add a qualifier or a key");
  const add = async (text: string) => {
    await box.fill(text);
    await box.press("Enter");
  };
  await page.goto("/s/points/records");
  await add("key:done-000* status:completed");
  await expect(page).toHaveURL("/s/points/records?status=completed&q=key%3Adone-000%2A");
  await expect(page.locator(".token")).toHaveText(["status:completed", "key:done-000*"]);
  await expect(box, "room for one more").toHaveValue("");
  const keys = page.locator("tbody .key");
  await expect(keys.first()).toContainText("done-000");
  for (const key of await keys.allTextContents()) expect(key).toMatch(/^done-000/);

  // A later term replaces one of the same name; others stay.
  await add("key:done-0001");
  await expect(page.locator(".token")).toHaveText(["status:completed", "key:done-0001"]);
  await expect(keys).toHaveText(["done-0001"]);
  await add("age:>100d");
  await expect(page.locator(".state__title")).toContainText("status:completed key:done-0001 age:>100d");
  await page.getByRole("link", { name: "Remove age:>100d" }).click();
  await expect(keys).toHaveText(["done-0001"]);
  // The chips keep the rest.
  await page.getByRole("navigation", { name: "By status" }).getByRole("link", { name: "All" }).click();
  await expect(page).toHaveURL("/s/points/records?q=key%3Adone-0001");
  await page.getByRole("link", { name: "Remove key:done-0001" }).click();
  await expect(page).toHaveURL("/s/points/records");
});

test("a key alone is found, whatever is in it", async ({ page, teams }) => {
  await teams.points(`REPLACE INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    VALUES ('shop:7:"x" %', 'REFUND_DONE', 2, NOW(), NOW())`);
  await page.goto("/s/points/records");
  await page.getByLabel("Add a qualifier or a key").fill('"shop:7:\\"x\\" %"');
  await page.getByLabel("Add a qualifier or a key").press("Enter");
  await expect(page.locator("tbody .key")).toHaveText(['shop:7:"x" %']);
  await page.goto("/s/points/records?q=shop:7:*");
  await expect(page.locator("tbody .key")).toHaveText(['shop:7:"x" %']);
  await teams.points("DELETE FROM idempotent_record WHERE biz_id LIKE 'shop:7:%'");
});

test.describe("a search that cannot be read", () => {
  test.use({ excused: /status of 400 .*\/s\/points\/records\?/ });

  test("stays in the box, and the page says what would be accepted", async ({ page }) => {
    await page.goto("/s/points/records?status=failed");
    const box = page.getByLabel("Add a qualifier or a key");
    await box.fill("stauts:dead");
    await box.press("Enter");
    await expect(page.getByRole("alert")).toContainText("character 1, “stauts”: did you mean status?");
    await expect(box).toHaveValue("stauts:dead");
    await expect(page.locator(".token"), "what was there is kept").toHaveText(["status:failed"]);
    await page.getByText("How to search").click();
    await expect(page.getByText("age:>10m", { exact: true })).toBeVisible();
    await box.fill("status:dead");
    await box.press("Enter");
    await expect(page).toHaveURL(/\/records\?status=dead$/);
  });
});

/** Turns the page and waits for the one behind the link. */
async function turn(page: Page, name: "Older" | "Newer") {
  const link = page.getByRole("link", { name });
  const behind = await link.getAttribute("href");
  await link.click();
  await page.waitForURL((url) => url.pathname + url.search === behind);
}

test("paging shows every row once, forward and back", async ({ page }) => {
  await page.goto("/s/points/records?status=completed");
  const keys = () => page.locator("tbody .key").allTextContents();
  const seen: string[][] = [await keys()];
  const older = page.getByRole("link", { name: "Older" });
  while ((await older.getAttribute("aria-disabled")) === null) {
    await turn(page, "Older");
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
    await turn(page, "Newer");
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
  const REFUSED: [number, string, string][] = [
    [400, "/s/points/records?status=lost", "processing, completed, failed, dead, unmapped"],
    [400, "/s/points/records/5b5d", "cannot be read"],
    [404, "/s/nobody/overview", "There is no source nobody"],
    [404, "/nowhere", "not one of Oncewatch’s pages"],
  ];

  for (const [status, path, why] of REFUSED) {
    test.describe(path, () => {
      test.use({ excused: answered(path, status) });

      test(`is answered ${status}, in words, with a way on`, async ({ page }) => {
        expect((await page.goto(path))?.status()).toBe(status);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(page.locator("main")).toContainText(why);
        await page.locator("main").getByRole("link").first().click();
        await expect(page).toHaveURL(/\/s\/points\/overview$/);
      });
    });
  }

  test.describe("a record that was deleted", () => {
    test.use({ excused: /status of 404 .*\/s\/points\/records\/[0-9a-f]+$/ });

    test("is gone, and the page says so", async ({ page, teams }) => {
      await teams.points(`REPLACE INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
        VALUES ('short-lived', 'REFUND_DONE', 2, NOW(), NOW())`);
      await page.goto("/s/points/records?status=completed");
      await page.getByRole("link", { name: "short-lived" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(/short-lived/);
      await teams.points("DELETE FROM idempotent_record WHERE biz_id = 'short-lived'");
      expect((await page.reload())?.status()).toBe(404);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("This record is gone");
    });
  });
});
