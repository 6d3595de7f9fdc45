import { expect, it } from '@jest/globals';
import { visit } from './support/browser.js';
import { ask, becomes, type Console, expectAccessibleEverywhere, opened, pageOf, user } from './support/console.js';

/** What Ctrl+K opens. */
export function paletteTests(at: () => Console): void {
  const field = () => at().page.getByRole('combobox', { name: 'Conversation, screen or action' });
  const chosen = () => at().page.getByRole('option', { selected: true });

  it('goes to conversations and screens and does things by the palette, with the keyboard alone', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'A walk' } });
    await ask(client, id, '{{say The axolotl walks}}');
    await opened(at(), 'Somewhere else');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('half a thought');
    await page.keyboard.press('Control+k');
    await becomes(page, `document.activeElement.getAttribute('role') === 'combobox'`);
    await page.getByRole('group', { name: 'Newest conversations' }).getByRole('option', { name: 'A walk' }).waitFor();
    await expectAccessibleEverywhere(page);
    // What has the focus for a screen reader is what Enter chooses.
    await chosen().waitFor();
    const first = await field().getAttribute('aria-activedescendant');
    expect(await chosen().getAttribute('id')).toBe(first);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    expect(await field().getAttribute('aria-activedescendant')).toBe(first);
    await page.keyboard.press('ArrowDown');
    expect(await field().getAttribute('aria-activedescendant')).not.toBe(first);
    // Closed, it leaves the focus where it was.
    await page.keyboard.press('Escape');
    await becomes(page, `document.activeElement.value === 'half a thought'`);

    await page.keyboard.press('Meta+k');
    await field().fill('axolotl');
    await page.getByRole('status').getByText('1 result').waitFor();
    expect(await chosen().innerText()).toContain('A walk');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(id) && url.searchParams.has('message'));

    // The beginnings of words find a title, before everything else.
    await page.keyboard.press('Control+k');
    await field().fill('wal');
    await page.getByRole('group', { name: 'Conversations', exact: true }).getByRole('option', { name: 'A walk', selected: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await field().fill('timel conversation');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sessions/${id}/timeline`);

    await page.getByRole('button', { name: 'Go to, or do' }).click();
    await field().fill('keyboard');
    await page.getByRole('option', { name: /^Keyboard help/ }).click();
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Control+k'); // not above a dialog
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');

    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Newest conversations' }).waitFor();
    await field().fill('no such thing anywhere');
    await page.keyboard.press('Enter'); // opens none of those that were found before
    await page.getByRole('status').getByText('Nothing was found').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+k');
    await field().waitFor({ state: 'detached' });
    await visit(page, '/');
  });

  it('offers in the palette what a person may do', async () => {
    const { client } = at();
    const { id } = await client.createSession({ body: { title: 'To read only' } });
    await ask(client, id, 'one');
    const reader = await user(at(), 'a reader');
    await client.grantRole({ id, principal: `user:${reader.userId}`, body: { role: 'viewer' } });
    const page = await pageOf(at(), reader.token, `/sessions/${id}`);
    const offered = async (): Promise<readonly string[]> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Tenant: Tokens' }).waitFor();
      const labels = await page.getByRole('option').allInnerTexts();
      await page.keyboard.press('Escape');
      return labels;
    };
    await page.getByText('You may read this conversation.').waitFor();
    const forReaders = (await offered()).join('\n');
    expect(forReaders).toContain('This conversation: Timeline');
    expect(forReaders).not.toMatch(/Write a prompt|Rewind to|Tenant: People/);
    await client.grantRole({ id, principal: `user:${reader.userId}`, body: { role: 'editor' } });
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    expect((await offered()).join('\n')).toMatch(/Rewind to[\s\S]*Write a prompt/);
    // What is typed before the palette is fetched is its words, and no key of the page.
    await page.reload();
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    let release: () => void = () => {};
    const typed = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/palette*', async (route) => {
      await typed;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tgn');
    await page.keyboard.press('Backspace');
    release();
    await becomes(page, `document.activeElement.getAttribute('role') === 'combobox' && document.activeElement.value === 'tg'`);
    expect(page.url()).toMatch(new RegExp(`${id}$`));
    await page.context().close();
  });
}
