import { expect, test } from "../stage/test.ts";
import { fits } from "../stage/expect.ts";
import { HOSTILE } from "../stage/team.ts";

test("a key pasted anywhere is looked up in all three layers", async ({ page }) => {
  await page.goto("/settings");
  const box = page.getByLabel("Look a key up in all three layers");
  // The shortcut is there once the script is.
  await expect(async () => {
    await page.locator("body").press("/");
    await expect(box).toBeFocused({ timeout: 500 });
  }).toPass();
  await box.fill("stuck-2");
  await box.press("Enter");
  await expect(page).toHaveURL(/\/s\/points\/lookup\?key=stuck-2$/);
  await expect(page.locator(".verdict")).toBeVisible();
  await expect(page.locator(".layer")).toHaveCount(3);
  await expect(page.locator("main")).toContainText("deadlock found");
});

const VERDICTS: [string, string, string | undefined, string | RegExp][] = [
  ["points", "done-0001", undefined, "Healthy: handled once"],
  // Once its consumers have reported what is usual.
  ["points", "alive-1", "ORDER_DONE", /^In progress(, slower than usual)?$/],
  ["points", "stuck-1", "ORDER_DONE", "Stuck or unprotected: the two cannot be told apart here"],
  ["points", "locked-done", "ORDER_DONE", "Finished, but its lock is still held"],
  ["points", "failed-1", "REFUND_DONE", "Failed, and the dead letter is not empty"],
  ["points", "dead-1", "REFUND_DONE", "Given up: this record is dead"],
  ["points", "odd-1", "REFUND_DONE", "Unmapped: this status means nothing to Oncewatch"],
  ["points", "never-seen", "ORDER_DONE", "Not consumed yet"],
  ["quiet", "gone-1", "SIGN_IN", "Stuck: the worker is gone and so is the message"],
  ["quiet", "gone-2", "SIGN_IN", "Failed, and the message is gone"],
  ["quiet", "held-1", "SIGN_IN", "In progress, and already acked"],
  ["quiet", "never-seen", "SIGN_IN", "Unknown key: never seen, or removed"],
  // Which lock to ask is not known without the type.
  ["quiet", "never-seen", undefined, "Cannot be judged without the lock"],
];

for (const [source, key, type, title] of VERDICTS) {
  test(`${source}/${key}: ${title}`, async ({ page }) => {
    const query = new URLSearchParams({ ...(type && { type }), key });
    await page.goto(`/s/${source}/lookup?${query}`);
    await expect(page.locator(".verdict").getByRole("heading").first()).toHaveText(title);
    await expect(page.getByText("Why we think so")).toBeVisible();
  });
}

test("a hostile key is text everywhere it stands", async ({ page }) => {
  for (const path of [
    `/s/points/lookup?${new URLSearchParams({ type: "ORDER_DONE", key: HOSTILE })}`,
    `/s/points/lookup?${new URLSearchParams({ key: `never ${HOSTILE}` })}`,
    "/s/points/records?status=processing",
    "/s/points/overview",
    `/s/points/records?${new URLSearchParams({ type: HOSTILE })}`,
  ]) {
    await page.goto(path);
    await expect(page.locator("main"), path).toContainText("</script><script>");
    await expect(page).not.toHaveTitle("broken");
  }
  await page.goto("/s/points/records?status=processing");
  await page.locator("tbody .key a", { hasText: "</script>" }).click();
  await expect(page.locator("main")).toContainText(HOSTILE);
});

test("a key is copied as it is", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/s/points/lookup?${new URLSearchParams({ type: "ORDER_DONE", key: HOSTILE })}`);
  await page.locator("h1 [data-copy]").click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(HOSTILE);
});

test("a key of 4 KB is looked up, and the page stays in its frame", async ({ page }) => {
  const long = "订单-".repeat(600).slice(0, 1_700);
  expect(Buffer.byteLength(long)).toBeGreaterThan(3_900);
  await page.goto(`/s/points/lookup?${new URLSearchParams({ key: long })}`);
  await expect(page.locator(".verdict")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("订单-订单-");
  await fits(page);
});
