import { fail, FAILED, forget, marked } from "../stage/marked.ts";
import { presentable } from "../stage/expect.ts";
import { expect, hydrated, test } from "../stage/test.ts";

// Chromium warns that what it preloaded for the script was not used.
const PRELOADED = /oncewatch\.wasm was preloaded using link preload but not used/;
const LIST = "/s/points/records?q=key%3Aop-%2A";

test.beforeEach(async ({ teams }) => fail(teams, 3));
test.afterEach(async ({ teams }) => forget(teams));

test("rows are picked, planned, confirmed, run and undone", async ({ page, teams, console }) => {
  await page.goto(LIST);
  await hydrated(page);
  await page.getByLabel("Select op-1").check();
  await expect(page.locator("[data-picked]")).toHaveText("Picked rows, 1");
  await expect(page.locator(".bar .fresh"), "nothing moves while something is selected").toHaveText("Paused");
  await page.locator("thead [data-pick-page] input").check();
  await expect(page.locator("[data-picked]")).toHaveText("Picked rows, 3");
  await page.getByLabel("Select op-3").uncheck();
  await page.getByRole("button", { name: "Mark dead" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mark dead: 2 of 2 records");
  const there = page.url();
  await presentable(page, console.url, () => page.goto(there));
  await page.context().clearCookies({ name: "oncewatch_lang" });
  await page.goto(there);
  await page.getByLabel("Reason, kept in the audit").fill("account is closed");
  await page.getByRole("button", { name: "Mark 2 records dead" }).click();

  await expect(page).toHaveURL(there);
  await expect(page.locator("#run-progress .pill"), "it ends without anybody loading the page anew").toHaveText("done");
  await expect(page.locator("[data-again]")).toHaveCount(0);
  await expect(page.locator("#run-items tbody tr")).toHaveCount(2);
  expect(await marked(teams)).toEqual({ "op-1": 4, "op-2": 4, "op-3": FAILED });
  await presentable(page, console.url, () => page.goto(there));
  await page.context().clearCookies({ name: "oncewatch_lang" });
  await page.goto("/s/points/operations");
  await expect(page.locator("tbody tr").first()).toContainText("2 of 2 done");
  await page.locator("tbody tr").first().getByRole("link").click();
  await expect(page).toHaveURL(there);

  await page.locator("#run-undo summary").click();
  await page.locator("#undo-reason").fill("the wrong ones");
  await page.getByRole("button", { name: "Undo 2 records" }).click();
  await expect(page.locator(".toast")).toContainText("2 are what they were");
  expect(await marked(teams)).toEqual({ "op-1": FAILED, "op-2": FAILED, "op-3": FAILED });
});

test("one record is operated on where it is looked up", async ({ page, teams }) => {
  await page.goto("/s/points/lookup?type=REFUND_DONE&key=op-2");
  await expect(page.locator(".verdict__ops")).toContainText("not from this status");
  await page.locator(".verdict__ops").getByRole("button", { name: "Mark dead" }).click();
  await page.getByLabel("Reason, kept in the audit").fill("account is closed");
  await page.getByRole("button", { name: "Mark 1 record dead" }).click();
  await expect(page.locator("#run-progress .pill")).toHaveText("done");
  expect((await marked(teams))["op-2"]).toBe(4);
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false, excused: PRELOADED });

  test("all that match are planned, confirmed and run", async ({ page, teams }) => {
    await page.goto(LIST);
    await expect(page.locator("[data-pick-page]:not([hidden])"), "what needs script is hidden").toHaveCount(0);
    await page.getByText("All that match, 3").click();
    await page.getByRole("button", { name: "Mark dead" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mark dead: 3 of 3 records");
    await page.getByLabel("Reason, kept in the audit").fill("account is closed");
    await page.getByRole("button", { name: "Mark 3 records dead" }).click();
    await expect(async () => {
      await page.reload();
      await expect(page.locator("#run-progress .pill")).toHaveText("done", { timeout: 500 });
    }).toPass();
    expect(Object.values(await marked(teams))).toEqual([4, 4, 4]);
  });
});
