import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../support/tool-server.js';
import { signIn } from './support/browser.js';
import { ask, becomes, type Console, expectAccessible } from './support/console.js';

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
  const toggle = (page: Page) => page.getByRole('button', { name: 'Notifications' });
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
    await toggle(page).click();
    await page.getByRole('button', { name: 'Notifications', pressed: true }).waitFor();
    await expectAccessible(page);
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
    await page.getByRole('button', { name: 'Notifications', pressed: true }).click();
    await page.getByRole('button', { name: 'Notifications', pressed: false }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
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
    await toggle(page).click();
    await page.getByRole('status').getByText('The browser does not allow notifications').waitFor();
    await expectAccessible(page);
    await page.context().grantPermissions(['notifications'], { origin });
    await toggle(page).click();
    await page.getByRole('status').getByText('The browser does not allow notifications').waitFor({ state: 'detached' });
    await page.context().close();
  });
}
