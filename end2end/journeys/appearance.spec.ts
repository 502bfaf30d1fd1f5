import { expect, type Page, test } from "../stage/test.ts";
import { accessible, fits } from "../stage/expect.ts";
import { ENTRANCES, PLACES } from "../stage/places.ts";

// Chromium reports the status of a link that is none.
test.use({ excused: /status of 404/ });

for (const { name, path } of [...PLACES, ...ENTRANCES]) {
  const entrance = ENTRANCES.some((place) => place.path === path);
  test(`${name}: axe finds nothing and nothing overflows, in both languages, themes and widths`, async ({ page, guest, console }) => {
    test.setTimeout(180_000);
    const seen = entrance ? guest : page;
    for (const lang of ["en", "zh"]) {
      const chosen = { oncewatch_lang: lang, oncewatch_theme: "light" };
      await seen.context().addCookies(Object.entries(chosen).map(([name, value]) => ({ name, value, url: console.url })));
      await seen.goto(path);
      await expect(seen.getByRole("heading", { level: 1 })).toBeVisible();
      for (const width of [1440, 390]) {
        await seen.setViewportSize({ width, height: 900 });
        await wear(seen, "light");
        await accessible(seen);
        await fits(seen);
        // The theme is one attribute, and changes nothing but colours.
        await wear(seen, "dark");
        await accessible(seen, "colours");
      }
    }
  });
}

function wear(page: Page, theme: string): Promise<void> {
  return page.evaluate((theme) => void (document.documentElement.dataset.theme = theme), theme);
}

test("menus keep to the window and close on Escape", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/s/points/overview");
  for (const menu of await page.locator(".bar details.menu").all()) {
    await menu.locator("summary").click();
    const box = (await menu.locator(".menu__list").boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await accessible(page, "everything", "details.menu[open]");
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
