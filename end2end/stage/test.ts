// What journeys start from: `import { test, expect } from "../stage/test.ts"`. One console and two teams for each worker;
// a test's `page` is signed in as the admin, `guest` is nobody. Each test also promises that the browser's console
// stayed empty: an error, a warning or a refused script or style is a failure.

import { test as base, type Browser, type BrowserContext, expect, type Page } from "@playwright/test";
import { overview } from "./api.ts";
import { ADMIN, Console } from "./console.ts";
import { Redis } from "./stores.ts";
import { Teams } from "./team.ts";

export { expect };
export type { Page };

const NOTHING = /(?!)/;

type Cookies = Awaited<ReturnType<BrowserContext["storageState"]>>;

interface OfWorker {
  teams: Teams;
  console: Console;
  /** The admin's session. */
  session: Cookies;
}

interface OfTest {
  guest: Page;
  /** The message of the browser's console that this test expects, with the address that it is about: see `answered`. */
  excused: RegExp;
}

export const test = base.extend<OfTest, OfWorker>({
  teams: [
    async ({}, use, info) => {
      const teams = await Teams.assemble(`e2e_${process.pid}_${info.workerIndex}`, Redis.shared());
      await use(teams);
      await teams.disband();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  console: [
    async ({ teams }, use) => {
      const console = await Console.start(teams.sources);
      await use(console);
      await console.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  session: [
    async ({ browser, console }, use) => {
      const context = await browser.newContext({ baseURL: console.url });
      const page = await context.newPage();
      await page.goto(await console.setUpLink());
      await createAdmin(page);
      await settle(page);
      await use(await context.storageState());
      await context.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  excused: [NOTHING, { option: true }],

  baseURL: async ({ console }, use) => use(console.url),

  storageState: async ({ session }, use) => use(session),

  page: async ({ page, excused }, use) => {
    const heard = listen(page, excused);
    await use(page);
    expect(heard, "the browser's console").toEqual([]);
  },

  // The session's fixture made the account that a guest signs in with.
  guest: async ({ browser, console, session: _, excused }, use) => {
    const { page, heard } = await stranger(browser, console, excused);
    await use(page);
    await page.context().close();
    expect(heard, "the browser's console").toEqual([]);
  },
});

/** Somebody whom this console does not know, and what their browser complains about. */
export async function stranger(browser: Browser, console: Console, excused = NOTHING) {
  const context = await browser.newContext({ baseURL: console.url, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  return { page, heard: listen(page, excused) };
}

/** What the browser complained about, filled while the page lives. */
function listen(page: Page, excused: RegExp): string[] {
  const heard: string[] = [];
  const hear = (text: string) => {
    if (!excused.test(text)) heard.push(text);
  };
  page.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type())) hear(`${message.text()} at ${message.location().url}`);
  });
  page.on("pageerror", (error) => hear(error.message));
  return heard;
}

/** What Chromium says when this address is answered with an error. Of any other that is, nothing is excused. */
export function answered(path: string, ...statuses: number[]): RegExp {
  const literally = path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`status of (${statuses.join("|")}) .*at http://[^/]+${literally}$`);
}

/** On the page of a set-up link. */
export async function createAdmin(page: Page): Promise<void> {
  await page.getByLabel("Name").fill(ADMIN.name);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.locator("form.sign__card button[type=submit]").click();
  await expect(page).not.toHaveURL(/\/link\//);
}

/** Until the collectors have read both teams as they were assembled, the search of the locks included. */
export async function settle(page: Page): Promise<void> {
  await expect(async () => {
    const [points, quiet] = [await overview(page, "points"), await overview(page, "quiet")];
    for (const { records, locks, brokers } of [points, quiet]) {
      for (const panel of [records, locks, ...brokers]) expect(panel.body).not.toBeNull();
    }
    expect(points.locks.body?.orphan.value).toBe(1);
    // RabbitMQ's own statistics lag by seconds.
    expect(points.brokers[0]?.body?.queues.map((queue) => queue.ready)).toEqual([3, 0, 1]);
  }).toPass({ timeout: 45_000 });
}

/** The island's script has taken over: what moves may move now. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator(".bar .pulse")).toBeVisible();
}
