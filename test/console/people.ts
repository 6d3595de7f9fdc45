import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type Console, ask, expectAccessible, pageOf, user } from './support/console.js';
import { signIn, visit } from './support/browser.js';

/** Several people in one conversation, and those who may not read it. */
export function peopleTests(at: () => Console): void {
  it('shows who reads and who writes in a conversation, and who wrote what', async () => {
    const { client, page } = at();
    const ben = await user(at(), 'Ben');
    const { id } = await client.createSession({ body: { title: 'Of two' } });
    await client.grantRole({ id, principal: `user:${ben.userId}`, body: { role: 'editor' } });
    await visit(page, `/sessions/${id}`);
    await page.getByText('A new conversation').waitFor();
    const other = await pageOf(at(), ben.token, `/sessions/${id}`);
    await page.getByText('Ben reads').waitFor();
    await other.getByText('admin reads').waitFor();
    await other.getByRole('textbox', { name: 'Prompt' }).pressSequentially('Hi');
    // Five seconds after the last key Ben counts as a reader again.
    await until('the others see that Ben writes', async () => {
      await other.getByRole('textbox', { name: 'Prompt' }).press('!');
      return page.getByText('Ben writes').isVisible();
    });
    await other.getByRole('textbox', { name: 'Prompt' }).press('Enter');
    await page.locator('article.prompt', { hasText: 'Hi' }).getByText('Ben', { exact: true }).waitFor();
    await ask(client, id, 'Hello');
    await other.locator('article.prompt', { hasText: 'Hello' }).getByText('admin', { exact: true }).waitFor();
    await visit(other, '/');
    await page.getByText(/Ben (reads|writes)/).waitFor({ state: 'detached' });
    await other.context().close();
  });

  it('gives an admin emergency access with a reason; the owner sees who, why and what was read', async () => {
    const { page } = at();
    const cara = await user(at(), 'Cara');
    const { id } = await cara.client.createSession({ body: { title: 'Private' } });
    await ask(cara.client, id, 'between us');
    const owner = await pageOf(at(), cara.token, `/sessions/${id}`);
    await owner.locator('article.prompt').getByText('between us').waitFor();
    await visit(page, `/sessions/${id}`);
    await page.getByText('You cannot open this conversation').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Emergency access…' }).click();
    await page.getByText('You can read this conversation for 60 minutes.').waitFor();
    await expectAccessible(page);
    await page.getByLabel(/^Reason/).fill('ticket 17');
    await page.getByRole('button', { name: 'Get emergency access' }).click();
    await page.locator('article.prompt').getByText('between us').waitFor();
    await page.getByText('To write in it you need the role editor').waitFor();
    await owner.getByText(/admin has emergency access .* ticket 17/).waitFor();
    await owner.getByRole('link', { name: 'Who has read it' }).click();
    // Who, how and why, and that it was read.
    await owner
      .getByRole('table', { name: 'Read by others' })
      .getByRole('row', { name: /^admin emergency access .* until .*ticket 17.* 1$/ })
      .waitFor();
    await owner.context().close();
  });

  it('says what a user misses who may not read a conversation, and shows auditors its structure without content', async () => {
    const { client } = at();
    const { id } = await client.createSession({ body: { title: 'Of the admin' } });
    await ask(client, id, 'a secret');
    const dan = await user(at(), 'Dan');
    const member = await pageOf(at(), dan.token, `/sessions/${id}`);
    await member.getByText('You cannot open this conversation').waitFor();
    expect(await member.getByRole('button', { name: 'Emergency access…' }).count()).toBe(0);
    await member.context().close();
    const eve = await user(at(), 'Eve', 'auditor');
    const auditor = await pageOf(at(), eve.token, `/sessions/${id}`);
    await auditor.getByRole('button', { name: 'Emergency access…' }).waitFor();
    await auditor.getByRole('link', { name: 'Audit', exact: true }).click();
    await auditor.getByText('valid', { exact: true }).waitFor();
    await auditor.getByRole('link', { name: 'Requests', exact: true }).click();
    await auditor.getByText('end of the turn').waitFor();
    // The page that says what is missing leads there, too.
    for (const [name, part] of [
      ['its requests', 'requests'],
      ['its audit', 'audit'],
    ] as const) {
      await visit(auditor, `/sessions/${id}`);
      await auditor.getByRole('link', { name, exact: true }).click();
      await auditor.waitForURL(`**/sessions/${id}/${part}`);
    }
    await auditor.context().close();
  });

  it('lists a conversation that began after the list was read and before the stream of changes was open', async () => {
    const { browser, origin } = at();
    const fay = await user(at(), 'Fay');
    const page = await browser.page(origin);
    let begin = (): void => undefined;
    const began = new Promise<void>((resolve) => (begin = resolve));
    await page.route('**/v1/events/stream*', async (route) => {
      await began;
      await route.continue();
    });
    await signIn(page, origin, fay.token);
    await page.getByText('No conversations yet').waitFor();
    await fay.client.createSession({ body: { title: 'In between' } });
    begin();
    await page.getByRole('link', { name: 'In between' }).waitFor();
    await page.context().close();
  });
}
