import { expect, test } from "../stage/test.ts";
import { accessible, fits } from "../stage/expect.ts";
import { ENTRANCES, PLACES } from "../stage/places.ts";

const WIDTHS = [1440, 390];
const LANGS = ["en", "zh"];
const THEMES = ["light", "dark"];

for (const { name, path } of [...PLACES, ...ENTRANCES]) {
  const entrance = ENTRANCES.some((place) => place.path === path);
  test(`${name}: axe finds nothing and nothing overflows, in both languages, themes and widths`, async ({ page, guest, console }) => {
    const seen = entrance ? guest : page;
    for (const width of WIDTHS) {
      await seen.setViewportSize({ width, height: 900 });
      for (const lang of LANGS) {
        for (const theme of THEMES) {
          await seen.context().addCookies([
            { name: "oncewatch_lang", value: lang, url: console.url },
            { name: "oncewatch_theme", value: theme, url: console.url },
          ]);
          await seen.goto(path);
          await expect(seen.locator("html")).toHaveAttribute("data-theme", theme);
          await expect(seen.getByRole("heading", { level: 1 })).toBeVisible();
          await accessible(seen);
          await fits(seen);
        }
      }
    }
  });
}

test("menus keep to the window and close on Escape", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/s/points/overview");
  for (const menu of await page.locator(".bar details.menu").all()) {
    await menu.locator("summary").click();
    const box = (await menu.locator(".menu__list").boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await accessible(page);
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
