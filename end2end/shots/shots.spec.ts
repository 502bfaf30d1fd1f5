// Pictures of every page: `./dev shots`. They show a real console over real stores. What the README shows goes to
// docs/shots, the rest is for whoever changes a page.

import { expect, hydrated, test } from "../stage/test.ts";
import { ENTRANCES, PLACES } from "../stage/places.ts";

const SHOWN = ["lookup-stuck"];

function picture(name: string): string {
  return `${SHOWN.includes(name) ? "../docs/shots" : "../target/shots"}/${name}.png`;
}

for (const { name, path } of PLACES) {
  test(name, async ({ page }) => {
    await page.goto(path);
    // Only pages of a source follow its stream.
    if (path.startsWith("/s/")) await hydrated(page);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.screenshot({ path: picture(name), fullPage: true, animations: "disabled" });
  });
}

test("signin", async ({ guest }) => {
  await guest.goto(ENTRANCES[0]!.path);
  await guest.screenshot({ path: picture("signin"), animations: "disabled" });
});

for (const [name, path] of [
  ["overview", "/s/points/overview"],
  ["lookup-stuck", "/s/quiet/lookup?type=SIGN_IN&key=gone-1"],
]) {
  test(`${name}, dark and in Chinese`, async ({ page, console }) => {
    await page.context().addCookies([
      { name: "oncewatch_lang", value: "zh", url: console.url },
      { name: "oncewatch_theme", value: "dark", url: console.url },
    ]);
    await page.goto(path!);
    await hydrated(page);
    await page.screenshot({ path: picture(`${name}.zh-dark`), fullPage: true, animations: "disabled" });
  });

  test(`${name}, on a phone`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path!);
    await hydrated(page);
    await page.screenshot({ path: picture(`${name}.phone`), fullPage: true, animations: "disabled" });
  });
}
