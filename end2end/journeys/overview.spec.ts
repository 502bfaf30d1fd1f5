import { expect, hydrated, type Page, settle, test } from "../stage/test.ts";
import type { Broker, Panel } from "../stage/api.ts";

function tile(page: Page, name: string) {
  return page.locator(".tile", { hasText: name }).locator(".tile__value");
}

test("says first what needs a person, and leads to it", async ({ page }) => {
  await page.goto("/s/points/overview");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Overview");
  await expect(page.locator(".headline .pill")).toHaveText("Needs attention");
  const attention = page.locator(".attention li");
  await expect(attention.filter({ hasText: "1 lock never expires" })).toBeVisible();
  await expect(attention.filter({ hasText: "1 message in the dead letter" })).toBeVisible();
  await expect(attention.filter({ hasText: "1 record has an unmapped status" })).toBeVisible();
  await page.locator(".attention li", { hasText: "never expires" }).getByRole("link").click();
  await expect(page).toHaveURL(/\/s\/points\/locks$/);
});

test("figures move when a store changes, without a reload", async ({ page, teams }) => {
  await page.goto("/s/points/overview");
  await hydrated(page);
  await page.evaluate(() => ((window as { seen?: boolean }).seen = true));
  const processing = tile(page, "Processing");
  const before = Number(await processing.textContent());
  expect(before).toBeGreaterThan(0);
  await teams.points(`REPLACE INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    VALUES ('live-1', 'ORDER_DONE', 1, NOW(), NOW())`);
  await expect(processing).toHaveText(String(before + 1));
  await teams.points("UPDATE idempotent_record SET status = 2, update_time = NOW() WHERE biz_id = 'live-1'");
  await expect(processing).toHaveText(String(before));

  const ready = tile(page, "Ready");
  await expect(ready).toHaveText("3");
  await teams.vhost.publish("points.refund", "{}");
  await expect(ready).toHaveText("4");
  expect(await page.evaluate(() => (window as { seen?: boolean }).seen), "the page was not loaded again").toBe(true);
  await teams.vhost.take("points.refund");
  await expect(ready).toHaveText("3");
});

test("nothing moves while a menu is open", async ({ page, teams }) => {
  // What the stream has brought, noted after the page's own listener has heard it.
  await page.addInitScript(() => {
    const brought: string[] = [];
    const add = EventTarget.prototype.addEventListener;
    const overheard = function (this: EventSource, name: string, listener: EventListener) {
      add.call(this, name, listener);
      if (name.startsWith("brokers/")) add.call(this, name, (event) => brought.push((event as MessageEvent<string>).data));
    };
    Object.assign(EventSource.prototype, { addEventListener: overheard });
    Object.assign(window, { brought });
  });
  await page.goto("/s/points/overview");
  await hydrated(page);
  const dead = tile(page, "Dead letter");
  await expect(dead).toHaveText("1");
  await page.locator(".bar details.menu").first().locator("summary").click();
  await expect(page.locator(".bar .fresh")).toContainText("Paused");
  await teams.vhost.publish("points.dlq", "{}");
  const deadLetters = async () => {
    const brought = await page.evaluate(() => (window as unknown as { brought: string[] }).brought);
    return brought.map((text) => (JSON.parse(text) as Panel<Broker>).body?.queues.at(-1)?.ready);
  };
  await expect.poll(deadLetters).toContain(2);
  await expect(dead).toHaveText("1");
  await page.keyboard.press("Escape");
  await expect(dead).toHaveText("2");
  await teams.vhost.take("points.dlq");
  await settle(page);
});

test("the chart that the browser draws is the server's, byte for byte", async ({ page, teams }) => {
  // What the island writes into the page, as it writes it.
  await page.addInitScript(() => {
    const drawn: string[] = [];
    const inner = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML")!;
    Object.defineProperty(Element.prototype, "innerHTML", {
      ...inner,
      set(this: Element, html: string) {
        if (html.startsWith('<svg class="chart"')) drawn.push(html);
        inner.set!.call(this, html);
      },
    });
    Object.assign(window, { drawn });
  });
  await page.goto("/s/points/overview");
  await hydrated(page);
  await teams.points(`INSERT INTO idempotent_record (biz_id, biz_type, status, create_time, update_time)
    VALUES ('chart-1', '订单完成', 1, NOW() - INTERVAL 50 MINUTE, NOW() - INTERVAL 50 MINUTE)`);
  const newest = () => page.evaluate(() => (window as unknown as { drawn: string[] }).drawn.at(-1));
  await expect.poll(newest).toBeTruthy();
  // Once both have read the same rows they draw the same; nothing else changes here.
  await expect(async () => {
    const served = await (await page.request.get("/s/points/overview")).text();
    expect(served).toContain(await newest());
  }).toPass({ timeout: 20_000 });
  await teams.points("DELETE FROM idempotent_record WHERE biz_id = 'chart-1'");
});

test("each chart has its numbers as a table", async ({ page }) => {
  await page.goto("/s/points/overview");
  const panel = page.locator(".panel", { has: page.getByRole("heading", { name: "Processing records by age" }) });
  await expect(panel.getByRole("img").first()).toHaveAttribute("aria-label", /of \d+ processing records are older than/);
  await panel.getByText("The same as a table").click();
  await expect(panel.getByRole("columnheader", { name: "Records" })).toBeVisible();
});
