// What every page promises, whoever looks at it: nothing that axe objects to, nothing wider than the window.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import { expect, type Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What of a page `axe` looks at: all, or only what another theme can break. */
export type Scope = "everything" | "colours";

/** `within`: of what part; a menu that is open lies over the rest on purpose. */
export async function accessible(page: Page, scope: Scope = "everything", within = "html"): Promise<void> {
  // By the debugger's way, which the content security policy of the page does not bind.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const results: axe.AxeResults = await page.evaluate(({ scope, within }) => {
    const runOnly: axe.RunOnly =
      scope === "colours"
        ? { type: "rule", values: ["color-contrast", "link-in-text-block"] }
        : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
    return (globalThis as unknown as { axe: typeof axe }).axe.run(within, { runOnly, resultTypes: ["violations"] });
  }, { scope, within });
  const found = results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)} — ${node.failureSummary?.split("\n")[1]?.trim()}`),
  );
  const { theme, lang } = await page.evaluate(() => ({ theme: document.documentElement.dataset.theme, lang: document.documentElement.lang }));
  expect(found, `axe on ${page.url()}, ${lang}, ${theme}, ${page.viewportSize()?.width} wide`).toEqual([]);
}

/** Tables may scroll in their own box, the page may not. */
export async function fits(page: Page): Promise<void> {
  const { wide, window } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  expect(wide, `width of ${page.url()}`).toBeLessThanOrEqual(window);
}
