import { answered, createAdmin, expect, stranger, test } from "../stage/test.ts";
import { ADMIN, Console } from "../stage/console.ts";

test("a first start prints a link that makes the first admin, once", async ({ browser, teams }) => {
  const fresh = await Console.start(teams.sources);
  try {
    // Seen again, the link is gone.
    const link = new URL(await fresh.setUpLink()).pathname;
    const { page, heard } = await stranger(browser, fresh, answered(link, 410));

    await page.goto(link);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Create the first operator");
    await createAdmin(page);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page).toHaveURL(/\/s\/points\/overview$/);

    await page.locator(".bar summary", { hasText: "Account" }).click();
    await expect(page.locator(".menu__list", { hasText: ADMIN.name })).toBeVisible();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/signin/);

    expect((await page.goto(link))?.status()).toBe(410);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("This link was used at");

    await page.goto("/signin");
    await page.getByLabel("Name").fill(ADMIN.name);
    await page.getByLabel("Password").fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/s\/points\/overview$/);

    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await fresh.stop();
  }
});
