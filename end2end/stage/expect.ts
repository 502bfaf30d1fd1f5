// What every page promises, whoever looks at it: nothing that axe objects to, nothing wider than the window.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import { expect, type Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What of a page `axe` looks at: all, or only what another theme can break. */
export type Scope = "everything" | "colours";

/** `except`: what lies under something that is open on purpose. */
export async function accessible(page: Page, scope: Scope = "everything", except: string[] = []): Promise<void> {
  // By the debugger's way, which the content security policy of the page does not bind.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const results: axe.AxeResults = await page.evaluate(({ scope, except }) => {
    const runOnly: axe.RunOnly =
      scope === "colours"
        ? { type: "rule", values: ["color-contrast", "link-in-text-block"] }
        : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
    const context = { include: ["html"], exclude: except };
    return (globalThis as unknown as { axe: typeof axe }).axe.run(context, { runOnly, resultTypes: ["violations"] });
  }, { scope, except });
  const found = results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)} — ${node.failureSummary?.split("\n")[1]?.trim()}`),
  );
  const { theme, lang } = await page.evaluate(() => ({ theme: document.documentElement.dataset.theme, lang: document.documentElement.lang }));
  expect.soft(found, `axe on ${page.url()}, ${lang}, ${theme}, ${page.viewportSize()?.width} wide`).toEqual([]);
}

/** Tables may scroll in their own box, the page may not. */
export async function fits(page: Page): Promise<void> {
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  expect.soft(wide, `width of ${page.url()}`).toBeLessThanOrEqual(window);
}

/** Nothing that axe objects to and nothing too wide, in both languages, widths and themes. `open` leads there, afresh for each language. */
export async function presentable(page: Page, url: string, open: () => Promise<unknown>, except: string[] = []): Promise<void> {
  for (const lang of ["en", "zh"]) {
    const chosen = { oncewatch_lang: lang, oncewatch_theme: "light" };
    await page.context().addCookies(Object.entries(chosen).map(([name, value]) => ({ name, value, url })));
    await open();
    await awake(page);
    await expect(page.locator("html")).toHaveAttribute("lang", lang === "zh" ? "zh-CN" : "en");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await wear(page, "light");
      await accessible(page, "everything", except);
      await fits(page);
      // The theme is one attribute, and changes nothing but colours.
      await wear(page, "dark");
      await accessible(page, "colours", except);
    }
  }
}

/** Where a page follows its source, its script has begun to: axe would hold it up for longer than Chromium likes. */
async function awake(page: Page): Promise<void> {
  const badge = page.locator(".bar .fresh");
  if ((await badge.count()) > 0) await expect(badge).toHaveText(/^(Live|Paused|实时|已暂停)$/);
}

function wear(page: Page, theme: string): Promise<void> {
  return page.evaluate((theme) => void (document.documentElement.dataset.theme = theme), theme);
}
