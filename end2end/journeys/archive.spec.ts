import { Console } from "../stage/console.ts";
import { presentable } from "../stage/expect.ts";
import { ledger } from "../stage/ledger.ts";
import { createAdmin, expect, type Page, stranger, test } from "../stage/test.ts";

test.describe.configure({ timeout: 180_000 });

test("old records are planned, archived, seen in the audit and brought back", async ({ browser, teams }) => {
  const console = await Console.start(await ledger(teams, "ledger_record"));
  try {
    const { page, heard } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);

    await page.goto("/s/ledger/archive");
    await expect(page.locator("main")).toContainText("There is no table");
    await presentable(page, console.url, () => page.goto("/s/ledger/archive/plan"));
    await english(page, console.url);

    await page.goto("/s/ledger/archive");
    await page.getByRole("link", { name: "Plan a run…" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Archive 2 records");
    await page.getByLabel("Reason, kept in the audit").fill("the table is 40 GB");
    await page.getByRole("checkbox").check();
    await page.getByLabel("to confirm").fill("archive nothing");
    await page.getByRole("button", { name: "Archive 2 records" }).click();
    await expect(page.locator(".toast")).toContainText("The phrase did not match");
    // It lies over the foot of the form.
    await page.getByRole("link", { name: "Dismiss" }).click();
    await expect(page.locator(".toast")).toHaveCount(0);
    await page.getByLabel("Reason, kept in the audit").fill("the table is 40 GB");
    await page.getByRole("checkbox").check();
    await page.getByLabel("to confirm").fill("archive ledger");
    await page.getByRole("button", { name: "Archive 2 records" }).click();
    await expect(page.locator(".toast")).toContainText("Archiving begins");
    await expect(async () => {
      await page.goto("/s/ledger/archive");
      await expect(page.locator("tbody tr").first()).toContainText("completed", { timeout: 500 });
    }).toPass({ timeout: 30_000 });
    expect(await teams.points("SELECT biz_id FROM ledger_record ORDER BY biz_id")).toBe("stuck-9\nyoung-1\n");

    await page.getByLabel("Key", { exact: true }).fill("old-1");
    await page.getByRole("button", { name: "Plan restore" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Restore one record");
    await presentable(page, console.url, () => page.goto("/s/ledger/archive/restore?key=old-1"));
    await english(page, console.url);
    await page.goto("/s/ledger/archive/restore?key=old-1");
    await page.getByLabel("Reason, kept in the audit").fill("a customer asks");
    await page.getByRole("button", { name: "Restore one record" }).click();
    await expect(page.locator(".toast")).toContainText("One record is back.");
    expect(await teams.points("SELECT COUNT(*) FROM ledger_record")).toBe("3\n");
    await presentable(page, console.url, () => page.goto("/s/ledger/archive"));
    await english(page, console.url);

    await page.goto("/audit");
    const entries = page.locator("details.entry");
    await expect(entries).toHaveCount(4);
    await expect(entries.nth(1)).toContainText("Archive 2 records");
    await entries.nth(1).locator("summary").click();
    await expect(entries.nth(1)).toContainText("the table is 40 GB");
    await expect(entries.nth(3)).toContainText("the phrase did not match");
    await presentable(page, console.url, () => page.goto("/audit"));
    await english(page, console.url);
    await page.getByLabel("Add a qualifier or a key").fill("key:old-1");
    await page.getByLabel("Add a qualifier or a key").press("Enter");
    await expect(entries).toHaveCount(1);
    await expect(entries).toContainText("Restore one record");
    await page.getByRole("link", { name: "Remove key:old-1" }).click();
    await page.getByRole("button", { name: "Check chain" }).click();
    await expect(page.locator(".headline")).toContainText("Chain intact");
    await presentable(page, console.url, () => page.goto("/audit/1"));
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await console.stop();
  }
});

async function english(page: Page, url: string): Promise<void> {
  await page.context().addCookies([{ name: "oncewatch_lang", value: "en", url }]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
}
