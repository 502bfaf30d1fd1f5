import { expect, hydrated, type Page, test } from "../stage/test.ts";
import { accessible, fits, presentable } from "../stage/expect.ts";

function about(page: Page, figure: string) {
  return { mark: page.getByRole("button", { name: `About “${figure}”` }), text: page.getByRole("group", { name: `About “${figure}”` }) };
}

/** Where something is must be inside of what is seen. */
async function inside(page: Page, text: ReturnType<Page["locator"]>): Promise<void> {
  const [box, window] = [(await text.boundingBox())!, page.viewportSize()!];
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(window.width);
  expect(box.y + box.height).toBeLessThanOrEqual(window.height);
}

test("a figure says what it is, how it is worked out and what it cannot see, and nothing moves meanwhile", async ({ page }) => {
  await page.goto("/s/points/overview");
  await hydrated(page);
  const { mark, text } = about(page, "Interception");
  await mark.click();
  await expect(text).toBeVisible();
  await expect(text).toContainText("(dedup hits + leaked)");
  await expect(text).toContainText("Leaks that nobody noticed");
  await inside(page, text);
  await expect(page.locator(".bar .fresh")).toHaveText("Paused");
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(text).toBeHidden();
  await expect(page.locator(".bar .fresh")).toHaveText("Live");
  await expect(page, "the tile below was not followed").toHaveURL(/\/overview$/);
});

test("the keyboard opens it, and another closes it", async ({ page }) => {
  await page.goto("/s/points/locks");
  await hydrated(page);
  const [eternal, held] = [about(page, "Eternal"), about(page, "Held")];
  await eternal.mark.focus();
  await page.keyboard.press("Enter");
  await expect(eternal.text).toBeVisible();
  await held.mark.focus();
  await page.keyboard.press("Space");
  await expect(held.text).toBeVisible();
  await expect(eternal.text).toBeHidden();
});

test("every page that has figures stays presentable while one is open", async ({ page, console }) => {
  test.slow();
  for (const [path, figure] of [
    ["/s/points/overview", /^(About “Aging pending over time”|关于“滞留处理中的变化”)$/],
    ["/s/points/brokers", /^(About “Redelivered”|关于“重投”)$/],
  ] as const) {
    await presentable(page, console.url, async () => {
      await page.goto(path);
      await hydrated(page);
      await page.getByRole("button", { name: figure }).click();
      await expect(page.getByRole("group", { name: figure })).toBeVisible();
    }, [".explain"]);
  }
});

test.describe("on a phone", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("a touch opens it inside of the window, and one beside it closes it", async ({ page }) => {
    await page.goto("/s/points/overview");
    await hydrated(page);
    for (const figure of ["P99 handling time", "Aging pending", "Lock conflicts against index hits"]) {
      const { mark, text } = about(page, figure);
      await mark.tap();
      await expect(text).toBeVisible();
      await inside(page, text);
      await fits(page);
      // In the page's margin, above or below what is open.
      const { y, height } = (await text.boundingBox())!;
      await page.touchscreen.tap(2, y > 100 ? y - 20 : y + height + 20);
      await expect(text).toBeHidden();
    }
  });
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false, excused: /oncewatch\.wasm was preloaded using link preload but not used/ });

  test("it opens and closes too", async ({ page }) => {
    await page.goto("/s/points/overview");
    const { mark, text } = about(page, "Duplicate rate");
    await mark.click();
    await expect(text).toContainText("deliveries are all outcomes");
    await page.keyboard.press("Escape");
    await expect(text).toBeHidden();
  });
});
