import { answered, expect, test } from "../stage/test.ts";
import { type Orphan, orphan } from "../stage/orphan.ts";

const REASON = "holder died after the commit";

async function release({ row }: Orphan) {
  await row.getByText("Release lock").click();
  await row.getByLabel("Reason, kept in the audit").fill(REASON);
  await row.getByRole("button", { name: "Release this lock" }).click();
}

test("an orphan lock is released by its owner, with a reason", async ({ page, teams }) => {
  const left = await orphan(page, teams, "left-1");
  await release(left);
  await expect(page.locator(".toast")).toContainText(`${left.redisKey} was deleted`);
  expect(await teams.redis.command("EXISTS", left.redisKey)).toBe("0");
  await page.getByRole("link", { name: "Dismiss" }).click();
  await expect(page.locator(".toast")).toHaveCount(0);
});

test("a lock that changed hands meanwhile is left alone", async ({ page, teams }) => {
  const left = await orphan(page, teams, "left-2");
  await teams.redis.command("SET", left.redisKey, "worker-6", "PX", "3600000");
  await release(left);
  await expect(page.locator(".toast")).toContainText(`${left.redisKey} is held by another owner now`);
  await expect(page.locator(".toast")).toHaveAttribute("role", "alert");
  expect(await teams.redis.command("GET", left.redisKey)).toBe("worker-6");
  await teams.redis.command("DEL", left.redisKey);
});

test("without a reason nothing is released", async ({ page, teams }) => {
  const { redisKey, row } = await orphan(page, teams, "left-3");
  await row.getByText("Release lock").click();
  const reason = row.getByLabel("Reason, kept in the audit");
  await row.getByRole("button", { name: "Release this lock" }).click();
  expect(await reason.evaluate((input: HTMLInputElement) => input.validity.valueMissing), "the browser asks for it").toBe(true);

  // A browser that does not ask finds that the server does.
  await row.locator("form").evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
    form.requestSubmit();
  });
  await expect(page.locator(".toast")).toContainText("A reason is needed");
  expect(await teams.redis.command("EXISTS", redisKey)).toBe("1");
  await teams.redis.command("DEL", redisKey);
});

test.describe("a lock under which somebody may work", () => {
  const RELEASE = "/api/sources/points/locks/release";
  test.use({ excused: answered(RELEASE, 409) });

  test("is not offered, says why, and is not released by whoever asks all the same", async ({ page, teams }) => {
    const key = teams.lockKey("ORDER_DONE", "alive-1");
    await page.goto("/s/points/lookup?type=ORDER_DONE&key=alive-1");
    await expect(page.locator("main")).toContainText("A handler is, or may be, working under it.");
    await expect(page.getByRole("button", { name: "Release lock" })).toHaveAttribute("aria-disabled", "true");
    await expect(page.locator(".release__form")).toHaveCount(0);

    const asked = { operation_id: "all-the-same", key, owner: "worker-3", type: "ORDER_DONE", biz_key: "alive-1", reason: REASON };
    const answer = await page.evaluate(
      async ([path, body]) => {
        const token = document.querySelector<HTMLInputElement>("input[name=form_token]")!.value;
        const headers = { "content-type": "application/json", "x-form-token": token };
        return (await fetch(path!, { method: "POST", headers, body: body! })).json();
      },
      [RELEASE, JSON.stringify(asked)],
    );
    expect(answer).toMatchObject({ status: 409, code: "not_allowed", why: { code: "handler_alive" } });
    expect(await teams.redis.command("GET", key)).toBe("worker-3");
  });
});
