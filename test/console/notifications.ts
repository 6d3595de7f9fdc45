import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../support/tool-server.js';
import { signIn } from './support/browser.js';
import { ask, becomes, type Console, expectAccessible, pageOf, user } from './support/console.js';

type Told = readonly (readonly [title: string, body: string, tag: string])[];

/** Keeps what the browser is asked to show, and lets a test hide the page, which then paints nothing. */
const WATCH = `(() => {
  globalThis.told = [];
  globalThis.away = false;
  const waiting = [];
  const paint = requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (callback) => (away ? waiting.push(callback) : paint(callback));
  globalThis.comeBack = () => { away = false; waiting.splice(0).forEach(paint); };
  Object.defineProperty(document, 'hidden', { get: () => away });
  globalThis.Notification = class extends Notification {
    constructor(title, options) { super(title, options); told.push([title, options.body, options.tag]); }
  };
})()`;

/** Notifications of the browser. */
export function notificationTests(at: () => Console): void {
  const told = (page: Page): Promise<Told> => page.evaluate<Told>('told');
  const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
  const panel = (page: Page) => page.getByRole('group', { name: 'Notifications' });
  /** Presses a button of the panel of the bell. */
  const press = async (page: Page, name: string): Promise<void> => {
    await bell(page).click();
    await panel(page).getByRole('button', { name }).click();
  };
  const away = (page: Page): Promise<void> => page.evaluate('away = true, undefined');

  it('tells a person who looks elsewhere that an answer is complete or a tool waits, when that was turned on', async () => {
    const { browser, client, origin, server } = at();
    const { id } = await client.createSession({ body: { title: 'Told' } });
    const page = await browser.page(origin);
    await page.context().grantPermissions(['notifications'], { origin });
    await page.addInitScript(WATCH);
    await signIn(page, origin, server.client.token!, `/sessions/${id}`);
    const answered = async (text: string): Promise<void> => {
      await page.evaluate('comeBack(), undefined');
      await page.locator('article.answer:not(.draft)').getByText(text).waitFor();
    };
    await page.getByText('A new conversation').waitFor();
    await away(page);
    await ask(client, id, '{{say not turned on}}');
    await answered('not turned on');
    await press(page, 'Turn on');
    await panel(page).getByText('On: told when').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await ask(client, id, '{{say in view}}');
    await answered('in view');
    expect(await told(page)).toEqual([]);

    await away(page);
    await ask(client, id, '{{say out of view}}');
    await becomes(page, 'told.length === 1');
    await ask(client, id, call('Work', { label: 'asked' }));
    await becomes(page, 'told.length === 2');
    expect(await told(page)).toEqual([
      ['Told', 'The answer is complete.', id],
      ['Told', 'A tool call waits for a decision or a result.', id],
    ]);
    // The choice is kept, and can be taken back.
    await page.evaluate('comeBack(), undefined');
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await press(page, 'Turn off');
    await panel(page).getByText('Off. The browser can').waitFor();
    // Escape closes the panel, and does not stop the turn of the page below it.
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    expect((await client.getSession({ id })).status).toBe('waiting');
    await away(page);
    await client.interruptTurn({ id, body: {} });
    await ask(client, id, '{{say turned off}}');
    await answered('turned off');
    expect(await told(page)).toEqual([]);
    await page.context().close();
  });

  it('says that the browser does not allow notifications', async () => {
    const { browser, origin, server } = at();
    const page = await browser.page(origin);
    await signIn(page, origin, server.client.token!);
    await bell(page).click();
    await panel(page).getByRole('status').getByText('Blocked: the browser does not allow').waitFor();
    await expectAccessible(page);
    await page.context().grantPermissions(['notifications'], { origin });
    await panel(page).getByRole('button', { name: 'Ask the browser again' }).click();
    await panel(page).getByRole('status').getByText('On: told when').waitFor();
    await page.context().close();
  });

  it('counts the conversations that wait for the user on every screen, and leads to them', async () => {
    const { client, token } = await user(at(), 'a person with a bell');
    const { id } = await client.createSession({ body: { title: 'Asks me' } });
    const page = await pageOf(at(), token, '/try');
    await bell(page).click();
    await panel(page).getByText('A tool call that needs your decision').waitFor();
    await ask(client, id, call('Work', { label: 'asked' }));
    await page.getByRole('button', { name: 'Notifications: 1 conversation waits' }).waitFor();
    await panel(page).getByRole('heading', { name: 'Needs you' }).waitFor();
    await panel(page).getByText('waits for you: Work asked').waitFor();
    await expectAccessible(page);
    await panel(page)
      .getByRole('link', { name: /Asks me/ })
      .click();
    await page.waitForURL(`**/sessions/${id}`);
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByRole('button', { name: 'Deny without a reason' }).click();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await page.context().close();
  });
}
