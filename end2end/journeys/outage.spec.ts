import { away } from "../stage/away.ts";
import { createAdmin, expect, hydrated, stranger, test } from "../stage/test.ts";
import { Console } from "../stage/console.ts";
import { presentable } from "../stage/expect.ts";
import { Redis } from "../stage/stores.ts";
import { Teams } from "../stage/team.ts";

test("a Redis that dies is unreachable in words, never a zero, and comes back by itself", async ({ browser }, info) => {
  const redis = await Redis.start();
  const teams = await Teams.assemble(`outage_${process.pid}_${info.workerIndex}`, redis);
  const console = await Console.start(teams.sources);
  try {
    const { page, heard } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    await page.goto("/s/points/overview");
    const held = page.locator(".tile", { hasText: "Locks held" });
    await expect(held.locator(".tile__value")).toHaveText(/^\d+$/);

    await redis.kill();
    // The page that is open learns it by itself.
    await expect(held.locator(".tile__value")).toHaveText("—");
    await expect(held).toContainText("last seen");
    await page.goto("/s/points/locks");
    await expect(page.locator("main")).toContainText("Redis cannot be reached");
    await expect(page.locator("main")).toContainText("How many locks are held is not known.");
    await expect(page.getByText("Release lock")).toHaveCount(0);
    await page.goto("/s/points/lookup?type=ORDER_DONE&key=stuck-1");
    await expect(page.locator(".verdict")).toContainText("Cannot be judged without the lock");
    // The other layers are shown as ever.
    await page.goto("/s/points/records?status=failed");
    await expect(page.locator("tbody tr")).toContainText("failed-1");

    await redis.startAgain();
    await redis.command("SET", teams.lockKey("ORDER_DONE", "alive-1"), "worker-3", "PX", "3600000");
    await page.goto("/s/points/overview");
    await expect(held.locator(".tile__value")).toHaveText(/^\d+$/, { timeout: 45_000 });
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await console.stop();
    await redis.kill();
    await teams.disband();
  }
});

test("what hangs or was killed is old on an open page after three periods, and live again by itself", async ({ browser }, info) => {
  test.setTimeout(120_000);
  const redis = await Redis.start();
  const teams = await Teams.assemble(`hang_${process.pid}_${info.workerIndex}`, redis);
  const console = await Console.start(teams.sources, { period: "3s" });
  // And a page looks at its clock once a second.
  const threePeriods = { timeout: 3 * 3_000 + 1_000 };
  try {
    const { page, heard } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    await page.goto("/s/points/overview");
    await hydrated(page);
    const held = page.locator(".tile", { hasText: "Locks held" });
    const live = async () => {
      await expect(held.locator(".tile__value")).toHaveText(/^\d+$/, { timeout: 45_000 });
      await expect(held.locator(".tile__sub")).not.toHaveClass(/warn|crit/, { timeout: 45_000 });
    };
    await live();
    redis.hang();
    await expect(held.locator(".tile__sub")).toHaveClass(/warn|crit/, threePeriods);
    await expect(held).toContainText(/old|last seen/);
    redis.goOn();
    await live();
    await redis.kill();
    await expect(held.locator(".tile__sub")).toHaveClass(/warn|crit/, threePeriods);
    await expect(held).toContainText(/old|last seen/);
    // The database still answers, and is shown so.
    await expect(page.locator(".tile", { hasText: "Processing" }).locator(".tile__sub")).not.toHaveClass(/warn|crit/);
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await console.stop();
    await redis.kill();
    await teams.disband();
  }
});

test("a source whose stores have never answered: pages say so, show no number, and look right", async ({ browser }) => {
  test.setTimeout(240_000);
  const console = await Console.start(await away());
  try {
    const { page, heard } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    const REACHED = "cannot be reached";
    for (const [path, said] of [
      ["/s/away/overview", REACHED],
      ["/s/away/records", REACHED],
      ["/s/away/locks", REACHED],
      ["/s/away/brokers", REACHED],
      ["/s/away/lookup?type=A&key=b", "The database could not be"],
      ["/settings", REACHED],
    ] as const) {
      await expect(async () => {
        await page.goto(path);
        await expect(page.locator("main")).toContainText(said, { timeout: 1_000 });
      }).toPass({ timeout: 20_000 });
      // How many brokers are not seen is known, and all that is.
      const figures = page.locator(".tile", { hasNotText: "Not seen" }).locator(".tile__value");
      for (const figure of await figures.allTextContents()) expect(figure, path).toContain("—");
      expect(await page.content(), "no password").not.toContain("hidden@");
      await presentable(page, console.url, () => page.goto(path));
      await page.context().clearCookies({ name: "oncewatch_lang" });
    }
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await console.stop();
  }
});
