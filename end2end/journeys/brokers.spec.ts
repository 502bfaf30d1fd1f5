import { expect, test } from "../stage/test.ts";

test("queues of the configuration, the dead letter marked and not counted among them", async ({ page }) => {
  await page.goto("/s/points/brokers");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Brokers");
  const order = page.locator("tbody tr", { hasText: "points.order" });
  await expect(order).toContainText("3");
  await expect(page.locator("tbody tr", { hasText: "points.dlq" })).toContainText("dead letter");
  await expect(page.locator("tbody tr", { hasText: "quiet." })).toHaveCount(0);
});
