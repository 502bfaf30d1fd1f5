// How a page is looked at: each width, theme and language that it promises.

import type { Page } from "@playwright/test";

const WIDTHS = [390, 768, 1440, 2560];

/** `target/shots/all/<name>.<width>.<language>-<theme>.png` of what `open` leads to, afresh for each language. */
export async function shotEachWay(page: Page, url: string, name: string, open: () => Promise<unknown>): Promise<void> {
  for (const lang of ["en", "zh"]) {
    await page.context().addCookies([{ name: "oncewatch_lang", value: lang, url }]);
    await open();
    for (const theme of ["light", "dark"]) {
      await page.evaluate((theme) => void (document.documentElement.dataset.theme = theme), theme);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: Math.round(width > 600 ? width * 0.625 : width * 2.16) });
        const path = `../target/shots/all/${name}.${width}.${lang}-${theme}.png`;
        await page.screenshot({ path, fullPage: true, animations: "disabled" });
      }
    }
  }
  await page.context().clearCookies({ name: "oncewatch_lang" });
}
