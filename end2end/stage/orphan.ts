// A lock that its finished record left behind, as the page of locks shows it.

import { expect, type Locator, type Page } from "@playwright/test";
import { lockStates } from "./api.ts";
import type { Teams } from "./team.ts";

export interface Orphan {
  redisKey: string;
  row: Locator;
}

export async function orphan(page: Page, teams: Teams, key: string): Promise<Orphan> {
  const redisKey = await teams.begin(key);
  // A lock that the collector has seen under an open record is followed from then on; otherwise only the search of
  // the key space, once a minute, would find it.
  const state = async () => (await lockStates(page))[redisKey];
  await expect.poll(state).toBe("held");
  await teams.dieAfterCommit(key);
  await expect.poll(state).toBe("orphan");
  await page.goto("/s/points/locks");
  const row = page.locator("tbody tr", { hasText: `ORDER_DONE:${key}` });
  await expect(row).toContainText("worker-5");
  return { redisKey, row };
}
