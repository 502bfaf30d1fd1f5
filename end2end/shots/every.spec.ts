// Every page in every width, theme and language, for whoever changes how it looks: target/shots/all.

import { Console } from "../stage/console.ts";
import { away } from "../stage/away.ts";
import { fail, forget } from "../stage/marked.ts";
import { EMPTY, ENTRANCES, PLACES } from "../stage/places.ts";
import { ledger } from "../stage/ledger.ts";
import { Redis } from "../stage/stores.ts";
import { Teams } from "../stage/team.ts";
import { answered, createAdmin, expect, hydrated, type Page, stranger, test } from "../stage/test.ts";
import { shotEachWay } from "./looks.ts";

test.describe.configure({ timeout: 240_000 });

for (const place of [...PLACES, ...EMPTY]) {
  test.describe(place.name, () => {
    if (place.status) test.use({ excused: answered(place.path, place.status) });

    test("each way", async ({ page, console }) => {
      await shotEachWay(page, console.url, place.name, () => arrive(page, place.path));
    });
  });
}

for (const place of ENTRANCES) {
  test.describe(place.name, () => {
    if (place.status) test.use({ excused: answered(place.path, place.status) });

    test("each way", async ({ guest, console }) => {
      await shotEachWay(guest, console.url, place.name, () => guest.goto(place.path));
    });
  });
}

async function arrive(page: Page, path: string): Promise<void> {
  const answer = await page.goto(path);
  // Only pages of a source follow its stream.
  if (path.startsWith("/s/") && answer?.ok()) await hydrated(page);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

const OF_A_SOURCE = ["overview", "records", "locks", "brokers"];

test("nothing ever answered, each way", async ({ browser }) => {
  const console = await Console.start(await away());
  try {
    const { page } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    for (const name of OF_A_SOURCE) {
      await shotEachWay(page, console.url, `${name}-unreachable`, () => arriveWhen(page, `/s/away/${name}`, "cannot be reached|连接不上"));
    }
    const lookup = "/s/away/lookup?type=ORDER_DONE&key=stuck-1";
    await shotEachWay(page, console.url, "lookup-unreachable", () => page.goto(lookup));
    await shotEachWay(page, console.url, "settings-unreachable", () => page.goto("/settings"));
    await page.context().close();
  } finally {
    await console.stop();
  }
});

test("what was read before Redis died is stale, each way", async ({ browser }, info) => {
  const redis = await Redis.start();
  const teams = await Teams.assemble(`shots_${process.pid}_${info.workerIndex}`, redis);
  const console = await Console.start(teams.sources);
  try {
    const { page } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    await page.goto("/s/points/overview");
    await expect(page.locator(".tile", { hasText: "Locks held" }).locator(".tile__value")).toHaveText(/^\d+$/);
    await redis.kill();
    for (const name of OF_A_SOURCE) {
      await shotEachWay(page, console.url, `${name}-stale`, () => arrive(page, `/s/points/${name}`));
    }
    await shotEachWay(page, console.url, "lookup-unclear", () => arrive(page, "/s/points/lookup?type=ORDER_DONE&key=stuck-1"));
    await page.context().close();
  } finally {
    await console.stop();
    await redis.kill();
    await teams.disband();
  }
});

test("archiving and its audit, each way", async ({ browser, teams }) => {
  const console = await Console.start(await ledger(teams, "shots_record"));
  try {
    const { page } = await stranger(browser, console);
    await page.goto(await console.setUpLink());
    await createAdmin(page);
    await shotEachWay(page, console.url, "archive-new", () => page.goto("/s/ledger/archive"));
    await shotEachWay(page, console.url, "archive-plan", () => page.goto("/s/ledger/archive/plan"));
    await page.goto("/s/ledger/archive/plan");
    for (const phrase of ["archive nothing", "archive ledger"]) {
      await page.locator("#reason").fill("backlog before the sale, OPS-1187");
      await page.locator("input[name=create]").check();
      await page.locator("#phrase").fill(phrase);
      await page.locator("form.confirm button").click();
    }
    await arriveWhen(page, "/s/ledger/archive", "completed|已完成");
    await page.goto("/audit");
    await page.locator("form[action='/audit/check'] button").click();
    await shotEachWay(page, console.url, "archive", () => page.goto("/s/ledger/archive"));
    await shotEachWay(page, console.url, "archive-restore", () => page.goto("/s/ledger/archive/restore?key=old-1"));
    await shotEachWay(page, console.url, "audit-some", () => page.goto("/audit"));
    await shotEachWay(page, console.url, "audit-opened", () => page.goto("/audit?q=op:archive"));
    await shotEachWay(page, console.url, "audit-entry", () => page.goto("/audit/1"));
    await page.context().close();
  } finally {
    await console.stop();
  }
});

test.describe("an operation", () => {
  // A phrase that is wrong.
  test.use({ excused: /status of 422 / });

  test("each way of it", async ({ page, console, teams }) => {
    await fail(teams, 60);
    try {
      await page.goto("/s/points/records?q=key%3Aop-%2A");
      await page.getByText(/^All that match/).click();
      await shotEachWay(page, console.url, "records-selected", async () => {
        await arrive(page, "/s/points/records?q=key%3Aop-%2A");
        await page.locator("tbody input").nth(1).check();
        await page.locator("tbody input").nth(2).check();
      });
      await page.goto("/s/points/records?status=processing");
      await page.getByText(/^All that match/).click();
      await page.getByRole("button", { name: "Mark failed" }).click();
      const some = page.url();
      await shotEachWay(page, console.url, "plan", () => arrive(page, some));
      await page.goto("/s/points/records?q=key%3Aop-%2A");
      await page.getByText(/^All that match/).click();
      await page.getByRole("button", { name: "Mark dead" }).click();
      const there = page.url();
      await shotEachWay(page, console.url, "plan-phrase", () => arrive(page, there));
      await page.getByLabel(/Reason|原因/).fill("member service restored 16:40, INC-2291");
      await page.getByLabel(/Type|输入/).fill("mark dead 6");
      await page.locator("form.confirm button").click();
      await shotEachWay(page, console.url, "plan-refused", () => Promise.resolve());
      await page.goto(there);
      await page.getByLabel("Reason").fill("member service restored 16:40, INC-2291");
      await page.getByLabel("Type").fill("mark dead 60");
      await page.locator("form.confirm button").click();
      await expect(page.locator("#run-progress .pill")).toHaveText("done");
      await shotEachWay(page, console.url, "run", () => arrive(page, there));
      await shotEachWay(page, console.url, "operations", () => arrive(page, "/s/points/operations"));
    } finally {
      await forget(teams);
    }
  });
});

/** Names as long as columns allow, texts without a space, and a great many rows. */
test("a great deal of everything, each way", async ({ page, console, teams }) => {
  const long = "ORDER_REFUND_PARTIALLY_SETTLED_".repeat(2).slice(0, 64);
  const key = `tenant-0000000042:${"9f8b7c6d5e4f".repeat(19)}`.slice(0, 240);
  await teams.points(`
    INSERT IGNORE INTO idempotent_record (biz_id, biz_type, status, retry_count, last_error, owner, create_time, update_time)
      SELECT CONCAT('bulk-', seq), CONCAT('TYPE_', seq % 40), IF(seq % 9, 2, 1), seq % 7, NULL, CONCAT('worker-', seq % 13),
        NOW() - INTERVAL seq SECOND, NOW() - INTERVAL seq SECOND FROM seq_1_to_120000;
    REPLACE INTO idempotent_record (biz_id, biz_type, status, retry_count, last_error, owner, create_time, update_time) VALUES
      ('${key}', '${long}', 1, 2147483647, '${"java.lang.IllegalStateException:com.example.points.".repeat(60)}',
        '${"worker-in-a-pod-with-a-long-name-".repeat(2).slice(0, 64)}', NOW() - INTERVAL 400 DAY, NOW() - INTERVAL 400 DAY)`);
  try {
    for (const [name, path] of [
      ["overview-huge", "/s/points/overview"],
      ["records-huge", "/s/points/records"],
      ["locks-huge", "/s/points/locks"],
      ["lookup-huge", `/s/points/lookup?type=${long}&key=${encodeURIComponent(key)}`],
    ] as const) {
      await shotEachWay(page, console.url, name, () => arrive(page, path));
    }
  } finally {
    await teams.points(`DELETE FROM idempotent_record WHERE biz_id LIKE 'bulk-%' OR biz_id = '${key}'`);
  }
});

async function arriveWhen(page: Page, path: string, said: string): Promise<void> {
  await expect(async () => {
    await page.goto(path);
    await expect(page.locator("main")).toContainText(new RegExp(said), { timeout: 1_000 });
  }).toPass({ timeout: 20_000 });
}
