import { expect } from '@jest/globals';
import { type Client, createClient, type Prompt } from '@verbatim/client';
import type { Page } from 'playwright-core';
import type { ToolServer } from '../../support/tool-server.js';
import { until } from '../../support/until.js';
import { BEYOND_THE_SCREEN, violationsOf } from './accessibility.js';
import { signIn, type TestBrowser, visit } from './browser.js';

/** What the tests of the console share: one server, one browser, and the page of an admin. */
export interface Console {
  readonly server: ToolServer;
  readonly browser: TestBrowser;
  readonly page: Page;
  readonly client: Client;
  readonly origin: string;
}

/** A further user of the tenant. */
export async function user({ client, origin }: Console, userName: string, role: 'member' | 'auditor' = 'member') {
  const { token, userId } = await client.createToken({ body: { userName, role } });
  return { token, userId, client: createClient({ baseUrl: origin, token }) };
}

/** The page of another user, in its own profile. */
export async function pageOf({ browser, origin }: Console, token: string, path: string): Promise<Page> {
  const page = await browser.page(origin);
  await signIn(page, origin, token, path);
  return page;
}

export async function ask(client: Client, id: string, input: Prompt['input']): Promise<void> {
  const { turnId } = await client.submitPrompt({ id, body: { input } });
  for (;;) {
    const turn = await client.getTurn({ id, turnId: turnId!, wait: 30 });
    if (turn.endedAt !== null || turn.status === 'waiting') return;
  }
}

export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
}

/** In both themes, and at the width of a phone. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await violationsOf(page, ['color-contrast'])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectAccessible(page);
  expect(await page.evaluate<readonly string[]>(BEYOND_THE_SCREEN)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

/** A new conversation, which the page shows. */
export async function opened({ client, page }: Console, title: string): Promise<string> {
  const { id } = await client.createSession({ body: { title } });
  await visit(page, `/sessions/${id}`);
  await page.getByRole('heading', { name: title }).waitFor();
  await page.locator('textarea').first().waitFor();
  return id;
}

/** Opens the menu of a button and chooses an entry of it. */
export async function choose(page: Page, button: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** The menu of a conversation that the page shows. */
export const chooseInConversation = (page: Page, entry: string): Promise<void> => choose(page, 'Actions of this conversation', entry);

export const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'Views of the conversation' }).getByRole('link', { name, exact: true });

/** The policy of the page forbids what `waitForFunction` does. */
export const becomes = (page: Page, expression: string): Promise<void> => until(expression, () => page.evaluate<boolean>(expression), 60);
