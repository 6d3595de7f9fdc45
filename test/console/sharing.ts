import { expect, it } from '@jest/globals';
import sharp from 'sharp';
import { until } from '../support/until.js';
import { type Console, ask, expectAccessible } from './support/console.js';
import { visit } from './support/browser.js';

/** Links, and erasures of one message. */
export function sharingTests(at: () => Console): void {
  it('shows those who have a link the conversation up to its message, with its files, without an account', async () => {
    const { client, page, browser, origin } = at();
    const { id } = await client.createSession({ body: { title: 'To be shared' } });
    const pixels = await sharp({ create: { width: 8, height: 6, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data: pixels.toString('base64') } };
    await ask(client, id, [image, { type: 'text', text: 'What is this? {{say A **picture**.}}' }]);
    await ask(client, id, 'and something else');
    await visit(page, `/sessions/${id}`);
    await page.locator('article.answer', { hasText: 'A picture.' }).getByRole('button', { name: 'More about this message' }).click();
    await page.getByRole('menuitem', { name: 'Share up to here…' }).click();
    await page.getByRole('button', { name: 'Create a link' }).click();
    const address = await page.locator('code.address').innerText();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const reader = await browser.page(origin, { viewport: { width: 390, height: 800 } });
    await reader.goto(address);
    await reader.locator('article.answer strong', { hasText: 'picture' }).waitFor();
    await until('the picture is shown', () => reader.evaluate<boolean>(`document.querySelector('article.prompt img')?.naturalWidth === 8`));
    expect(await reader.getByText('and something else').count()).toBe(0);
    await reader.getByText(/^2 messages · begun \d\d:\d\d · shared with you, to read$/).waitFor();
    expect(
      await reader
        .getByRole('log')
        .getByRole('button', { name: /Edit|Fork|More|Regenerate/ })
        .count(),
    ).toBe(0);
    expect(await reader.getByRole('link', { name: 'What was sent' }).count()).toBe(0);
    await expectAccessible(reader);

    await reader.keyboard.press('j');
    await until('a message is selected', () => reader.evaluate<boolean>(`location.search.includes('message=')`));
    expect(reader.url()).toContain(address.slice(address.indexOf('#')));
    await reader.reload();
    await reader.locator('article.answer strong', { hasText: 'picture' }).waitFor();
    const [link] = (await client.listLinks({ id })).data;
    await client.revokeLink({ id, linkId: link!.id });
    await reader.getByRole('button', { name: 'Reload' }).click();
    await reader.getByText('It has expired, it was revoked').waitFor();
    await expectAccessible(reader);
    await reader.goto(`${origin}/console/shared`);
    await reader.getByText('The address is not complete').waitFor();
    await reader.context().close();
  });

  it('erases one message after saying what that reaches, and names the forks that would still show it', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'With a password' } });
    await ask(client, id, 'my password is hunter2 {{say noted}}');
    const fork = await client.forkSession({ id, body: {} });
    await visit(page, `/sessions/${id}`);
    await page.locator('article.prompt', { hasText: 'hunter2' }).getByRole('button', { name: 'More about this message' }).click();
    await page.getByRole('menuitem', { name: 'Erase this message…' }).click();
    await page.getByText('everything that was made of it').waitFor();
    // What enables the button is said beside it, until it is done.
    const hint = page.getByText('Check “I know that this cannot be undone” to erase.');
    await hint.waitFor();
    expect(await page.getByRole('button', { name: 'Erase', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('dialog').getByText('my password is hunter2').waitFor();
    await page.getByLabel('I know that this cannot be undone').check();
    await hint.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByText('Nothing was erased: 1 fork of this conversation').waitFor();
    await page.getByRole('link', { name: `Fork ${fork.id.slice(0, 8)}` }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Also in its forks').check();
    await page.getByLabel(/^Reason/).fill('a password');
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.locator('article').getByText('The content of this message was erased.').first().waitFor();
    // It says whose it was, and by whom, when and why it was erased.
    await page.locator('article.prompt header strong').first().waitFor();
    await page
      .locator('article.prompt')
      .getByText(/ By .+, .+: a password\./)
      .waitFor();
    await page.locator('article.prompt').getByRole('link', { name: 'All erasures' }).waitFor();
    await expectAccessible(page);
    await page.locator('article.answer').getByText('noted').waitFor();
    expect(await page.getByText('hunter2').count()).toBe(0);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(JSON.stringify(await client.listMessages({ id: fork.id }))).not.toContain('hunter2');
  });
}
