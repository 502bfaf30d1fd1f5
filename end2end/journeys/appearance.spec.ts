import { answered, expect, hydrated, type Page, stranger, test } from "../stage/test.ts";
import { Console } from "../stage/console.ts";
import { presentable } from "../stage/expect.ts";
import { orphan } from "../stage/orphan.ts";
import { EMPTY, ENTRANCES, PLACES, type Place } from "../stage/places.ts";

const WELL = "axe finds nothing and nothing overflows, in both languages, themes and widths";

test.describe.configure({ timeout: 180_000 });

for (const place of [...PLACES, ...EMPTY, ...ENTRANCES]) {
  test.describe(place.name, () => {
    if (place.status) test.use({ excused: answered(place.path, place.status) });

    test(WELL, async ({ page, guest, console }) => {
      const seen = ENTRANCES.includes(place) ? guest : page;
      await presentable(seen, console.url, () => arrive(seen, place));
    });
  });
}

async function arrive(page: Page, { path, status }: Place) {
  const answer = await page.goto(path);
  expect(answer?.status(), path).toBe(status ?? 200);
}

test(`a set-up link: ${WELL}`, async ({ browser, teams }) => {
  const fresh = await Console.start(teams.sources);
  try {
    const link = await fresh.setUpLink();
    const { page, heard } = await stranger(browser, fresh);
    await presentable(page, fresh.url, async () => {
      await page.goto(link);
      await expect(page.locator("form.sign__card input[name=password]")).toBeVisible();
    });
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await fresh.stop();
  }
});

test(`a record: ${WELL}`, async ({ page, console }) => {
  await page.goto("/s/points/records?status=failed");
  const record = await page.getByRole("link", { name: "failed-1" }).getAttribute("href");
  expect(record).toMatch(/^\/s\/points\/records\/[0-9a-f]+$/);
  await presentable(page, console.url, async () => {
    await page.goto(record!);
    await expect(page.locator(".layer")).toHaveCount(3);
  });
});

test(`numbers of the charts, opened: ${WELL}`, async ({ page, console }) => {
  await presentable(page, console.url, async () => {
    await page.goto("/s/points/overview");
    const numbers = page.locator("details.numbers");
    // The second chart begins with the first full minute.
    expect(await numbers.count()).toBeGreaterThan(0);
    for (const table of await numbers.all()) {
      await table.locator("summary").click();
      await expect(table.locator("tbody tr").first()).toBeVisible();
    }
    // Where the page is scrolled to, the bar lies over whatever has just passed below it.
    await page.evaluate(() => scrollTo(0, 0));
  });
});

test(`the form of a release, and the toast that answers it: ${WELL}`, async ({ page, console, teams }) => {
  const { redisKey, row } = await orphan(page, teams, "left-in-sight");
  const form = row.locator(".release__form");
  const open = async () => {
    await page.goto("/s/points/locks");
    await row.locator("summary").click();
    await expect(form).toBeVisible();
  };
  await presentable(page, console.url, open);
  await presentable(page, console.url, async () => {
    await open();
    await form.evaluate((form: HTMLFormElement) => {
      form.noValidate = true;
      form.requestSubmit();
    });
    await expect(page.locator(".toast")).toBeVisible();
  });
  await teams.redis.command("DEL", redisKey);
});

const MENUS = ["sources", "language and theme", "account"];

for (const [at, name] of MENUS.entries()) {
  test(`the menu of ${name}, open: ${WELL}`, async ({ page, console }) => {
    // It lies over the page on purpose.
    const below = ["main", ".nav"];
    const open = async () => {
      await page.goto("/s/points/overview");
      const menu = page.locator(".bar details.menu").nth(at);
      await menu.locator("summary").click();
      await expect(menu.locator(".menu__list")).toBeVisible();
    };
    await presentable(page, console.url, open, below);
  });
}

test(`the menu of times, open: ${WELL}`, async ({ page, console }) => {
  const open = async () => {
    await page.goto("/s/points/overview?from=-2h&to=-1h");
    const menu = page.locator("details.menu--range");
    await menu.locator("summary").click();
    await expect(menu.locator(".menu__list")).toBeVisible();
  };
  // It lies over the tiles on purpose.
  await presentable(page, console.url, open, [".tiles", ".grid", ".nav"]);
});

test("menus keep to the window and close on Escape", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/s/points/overview");
  await hydrated(page);
  const menus = page.locator("details.menu");
  await expect(menus).toHaveCount(MENUS.length + 1);
  for (const menu of await menus.all()) {
    await menu.locator("summary").click();
    const box = (await menu.locator(".menu__list").boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await page.keyboard.press("Escape");
    await expect(menu).not.toHaveAttribute("open");
  }
});

test("the first Tab leads past the navigation", async ({ page }) => {
  await page.goto("/s/points/overview");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
});
