import { answered, expect, stranger, test } from "../stage/test.ts";
import { ADMIN, Console } from "../stage/console.ts";

test.use({ excused: answered("/signin", 401) });

test("a page leads to signing in, and from there back to it", async ({ guest }) => {
  await guest.goto("/s/points/records?status=failed");
  await expect(guest).toHaveURL(/\/signin/);
  await guest.getByLabel("Name").fill(ADMIN.name);
  await guest.getByLabel("Password").fill(ADMIN.password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest).toHaveURL(/\/s\/points\/records\?status=failed$/);
});

test("a wrong password says neither which part was wrong nor keeps what was typed as password", async ({ guest }) => {
  await guest.goto("/signin");
  await guest.getByLabel("Name").fill(ADMIN.name);
  await guest.getByLabel("Password").fill("guess");
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest.getByRole("alert")).toContainText("Name or password is wrong.");
  await expect(guest.getByLabel("Name")).toHaveValue(ADMIN.name);
  await expect(guest.getByLabel("Password")).toHaveValue("");
});

test("too many tries have to wait, and say until when", async ({ browser, teams }) => {
  // A console of its own: the limit is on the address, which all tests share.
  const guarded = await Console.start(teams.sources);
  try {
    const { page, heard } = await stranger(browser, guarded, answered("/signin", 401, 429));
    await page.goto("/signin");
    const alert = page.getByRole("alert");
    await expect(async () => {
      await page.getByLabel("Name").fill(ADMIN.name);
      await page.getByLabel("Password").fill("guess");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(alert).toContainText("Too many tries from this address.", { timeout: 1_000 });
    }).toPass({ timeout: 40_000 });
    await expect(alert).toContainText("Next try at");
    await expect(page.getByRole("button", { name: "Sign in" })).toHaveAttribute("aria-disabled", "true");
    expect(heard).toEqual([]);
    await page.context().close();
  } finally {
    await guarded.stop();
  }
});
