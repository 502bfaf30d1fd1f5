import { expect, test } from "../stage/test.ts";

test("queues of the configuration, the dead letter marked and not counted among them", async ({ page }) => {
  await page.goto("/s/points/brokers");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Brokers");
  const queue = (name: string) => page.locator("tbody tr", { hasText: name });
  const ready = (name: string) => queue(name).locator('td[data-h="Ready"]');
  await expect(page.locator("tbody tr")).toHaveCount(3);
  await expect(ready("points.order")).toHaveText("3");
  await expect(ready("points.refund")).toHaveText("0");
  await expect(ready("points.dlq")).toHaveText("1");
  await expect(page.locator("tbody tr", { hasText: "dead letter" })).toContainText("points.dlq");

  const tile = (name: string) => page.locator(".tile", { hasText: name }).locator(".tile__value");
  await expect(tile("Ready")).toHaveText("3");
  await expect(tile("Dead letter")).toHaveText("1");
});
