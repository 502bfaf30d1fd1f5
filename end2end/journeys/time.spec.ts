import { expect, hydrated, type Page, test } from "../stage/test.ts";
import { accessible, fits } from "../stage/expect.ts";

/** The panel of a chart of what consumers reported, once there is anything to draw. */
async function drawn(page: Page, id: string) {
  await expect(async () => {
    await page.goto("/s/points/overview");
    await expect(page.locator(`#${id} .plot svg.chart`)).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 45_000 });
  await hydrated(page);
  return page.locator(`#${id}`);
}

async function over(page: Page, id: string) {
  const panel = await drawn(page, id);
  const chart = panel.locator(".plot__over");
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.boundingBox())!;
  const at = (share: number): [number, number] => [box.x + box.width * share, box.y + box.height / 2];
  return { panel, chart, at };
}

/** What the table says of the slot that is read, heads first. */
async function row(panel: ReturnType<Page["locator"]>, slot: number): Promise<string[]> {
  return panel.locator(".numbers tbody tr").nth(slot).locator("td").allTextContents();
}

test("another time is two clicks away, and every line and file follows", async ({ page }) => {
  await drawn(page, "layers");
  await page.locator(".menu--range summary").click();
  await page.getByRole("link", { name: /Last 24\sh/ }).click();
  await expect(page).toHaveURL(/\/overview\?range=24h$/);
  await expect(page.locator(".menu--range summary")).toContainText(/Last 24\sh/);
  await expect(page.locator("#layers .panel__sub")).toContainText(/^Per 5\smin; .* In 24\sh: [\d,]+ deliveries/);
  await expect(page.locator("#layers").getByRole("link", { name: /^CSV/ })).toHaveAttribute("href", /table=layers&range=24h$/);
  await expect(page.locator("#layers .numbers tbody tr")).toHaveCount(288);
});

test("dragging over a chart shows that time, and there is a way back", async ({ page }) => {
  const { chart, at } = await over(page, "layers");
  await page.mouse.move(...at(0.65));
  await page.mouse.down();
  await page.mouse.move(...at(0.8), { steps: 6 });
  await expect(chart.locator(".picked")).toBeVisible();
  await page.mouse.up();
  await expect(page).toHaveURL(/\/overview\?from=[\dT:-]+Z&to=[\dT:-]+Z$/);
  const { searchParams } = new URL(page.url());
  const lasts = Date.parse(searchParams.get("to")!) - Date.parse(searchParams.get("from")!);
  expect(lasts).toBeGreaterThan(15 * 60_000);
  expect(lasts).toBeLessThan(60 * 60_000);
  await expect(page.locator("#layers .numbers tbody tr")).toHaveCount(lasts / 60_000);

  await page.getByRole("link", { name: "Zoom out" }).click();
  await expect(page).toHaveURL(/\?from=/);
  const wider = new URL(page.url()).searchParams;
  expect(Date.parse(wider.get("to")!) - Date.parse(wider.get("from")!)).toBeGreaterThan(lasts);
  await page.getByRole("link", { name: /Back to Last 3\sh/ }).click();
  await expect(page).toHaveURL(/\/overview$/);
});

test("a click, or a drag that is given up, changes nothing", async ({ page }) => {
  const { chart, at } = await over(page, "layers");
  await page.mouse.click(...at(0.5));
  await page.mouse.move(...at(0.5));
  await page.mouse.down();
  await page.mouse.move(...at(0.7), { steps: 3 });
  await page.keyboard.press("Escape");
  await expect(chart.locator(".picked")).toHaveCount(0);
  await page.mouse.up();
  await expect(page).toHaveURL(/\/overview$/);
});

test("the pointer reads the table's values, and nothing moves", async ({ page }) => {
  const { panel, chart, at } = await over(page, "handling");
  const before = await panel.boundingBox();
  for (const share of [0.1, 0.72, 0.86]) {
    await page.mouse.move(...at(share));
    const card = await chart.locator("text").allTextContents();
    const slot = Number(await chart.getAttribute("aria-valuenow"));
    const [time, ...values] = await row(panel, slot);
    const names = await panel.locator(".numbers th").allTextContents();
    expect(card).toEqual([time, ...values.flatMap((value, of) => [names[of + 1], value]), "drag to zoom in"]);
    // Nothing of it outside of the chart.
    const [inside, drawn] = [(await chart.boundingBox())!, (await chart.locator(".card").boundingBox())!];
    expect(drawn.x).toBeGreaterThanOrEqual(inside.x - 1);
    expect(drawn.x + drawn.width).toBeLessThanOrEqual(inside.x + inside.width + 1);
    await fits(page);
  }
  expect(await panel.boundingBox()).toEqual(before);
  await page.mouse.move(0, 0);
  await expect(chart.locator(".card")).toHaveCount(0);
});

test("the arrow keys read a chart, and say what they read", async ({ page }) => {
  const panel = await drawn(page, "layers");
  const chart = panel.getByRole("slider", { name: "Deliveries and duplicates by layer" });
  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(chart).toHaveAttribute("aria-valuenow", "1");
  const [time, deliveries] = await row(panel, 1);
  await expect(chart).toHaveAttribute("aria-valuetext", new RegExp(`^${time}, deliveries ${deliveries}, status check `));
  await expect(chart.locator(".card")).toBeVisible();
  await accessible(page);
  await page.keyboard.press("Escape");
  await expect(chart.locator(".card")).toHaveCount(0);
});

test.describe("on a phone", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("a touch reads a chart without leaving the page", async ({ page }) => {
    const { panel, chart, at } = await over(page, "layers");
    await page.touchscreen.tap(...at(0.8));
    await expect(chart.locator(".card")).toBeVisible();
    const slot = Number(await chart.getAttribute("aria-valuenow"));
    const [time] = await row(panel, slot);
    await expect(chart.locator("text").first()).toHaveText(time!);
    await expect(chart.getByText("drag to zoom in")).toHaveCount(0);
    await fits(page);
    await expect(page).toHaveURL(/\/overview$/);
  });
});
