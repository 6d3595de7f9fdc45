import { expect, it } from '@jest/globals';
import { ask, becomes, type Console, expectAccessibleEverywhere, opened } from './support/console.js';

/** Rewinds, restores and the versions of a message, in the conversation. */
export function rewindTests(at: () => Console): void {
  const prompt = () => at().page.getByRole('textbox', { name: 'Prompt' });
  const button = (name: string) => at().page.getByRole('button', { name, exact: true });
  const message = (kind: 'prompt' | 'answer', text: string) =>
    at()
      .page.locator(`article.${kind}:not(.draft)`)
      .getByText(text, { exact: kind === 'prompt' })
      .first();
  const prompts = async (id: string): Promise<readonly unknown[]> => {
    const { data } = await at().client.listMessages({ id, limit: 500 });
    return data.flatMap((one) => (one.type === 'user' ? [one.content] : []));
  };
  const asked = async (title: string, ...texts: readonly string[]): Promise<string> => {
    const id = await opened(at(), title);
    for (const text of texts) await ask(at().client, id, text);
    await message('prompt', texts.at(-1)!).waitFor();
    return id;
  };

  it('rewinds to a prompt, after it has said what leaves the view, and restores it at once', async () => {
    const { page } = at();
    const id = await asked('Rewound', 'one', 'two', 'three');
    const two = page.locator('article.prompt', { hasText: 'two' });
    await two.getByRole('button', { name: 'Rewind to here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rewind to here' });
    await dialog.getByText('4 messages leave the view: 2 prompts and 2 answers.').waitFor();
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click();
    await two.waitFor({ state: 'detached' });
    expect(await prompts(id)).toEqual(['one']);
    // The prompt that was taken back can be sent again, in another wording.
    await becomes(page, `document.querySelector('textarea').value === 'two' && document.activeElement.tagName === 'TEXTAREA'`);
    await page.getByRole('status').getByText('The conversation was rewound to here').waitFor();
    await expectAccessibleEverywhere(page);
    await button('Undo').click();
    await message('prompt', 'three').waitFor();
    expect(await prompts(id)).toEqual(['one', 'two', 'three']);
    await button('Undo').waitFor({ state: 'detached' });
    expect(await prompt().inputValue()).toBe('');
  });

  it('rewinds a whole conversation, offers to restore it also after the page was loaded again, and keeps what was being written', async () => {
    const { page } = at();
    const id = await asked('To its beginning', 'one', 'two');
    await prompt().fill('half a thought');
    await page.locator('article.prompt', { hasText: 'one' }).getByRole('button', { name: 'Rewind to here' }).click();
    await button('Rewind').click();
    await page.getByText('A new conversation').waitFor();
    await becomes(page, `document.querySelector('textarea').value === 'one'`);
    await page.reload();
    await button('Undo').click();
    await message('prompt', 'two').waitFor();
    expect(await prompts(id)).toEqual(['one', 'two']);
  });

  it('stops the turn that runs before it rewinds', async () => {
    const { page, client } = at();
    const id = await asked('While it runs', 'one');
    await client.submitPrompt({ id, body: { input: '{{slow 100}}{{long 5000}}' } });
    await button('Stop').waitFor();
    await page.locator('article.prompt', { hasText: 'one' }).getByRole('button', { name: 'Rewind to here' }).click();
    await page.getByRole('dialog').getByText('The answer that is being written is stopped first.').waitFor();
    await button('Rewind').click();
    await page.getByText('A new conversation').waitFor();
    expect(await prompts(id)).toEqual([]);
    await button('Undo').waitFor();
  });

  it('shows the versions of a message and switches between them, in the order in which they were written', async () => {
    const { page, client } = at();
    const id = await asked('Versions', 'before', 'first');
    const replace = async (text: string): Promise<void> => {
      const { data } = await client.listMessages({ id, limit: 500 });
      const replaces = data.findLast((one) => one.type === 'user')!.uuid;
      const { turnId } = await client.submitPrompt({ id, body: { input: text, replaces } });
      await client.getTurn({ id, turnId: turnId!, wait: 30 });
      await message('prompt', text).waitFor();
    };
    await replace('second');
    await replace('third');
    const version = (name: string) => page.getByRole('group', { name: `Version ${name}`, exact: true });
    await version('3 of 3').getByText('3/3').waitFor();
    expect(await version('3 of 3').getByRole('button', { name: 'Next version' }).isDisabled()).toBe(true);
    await expectAccessibleEverywhere(page);
    await version('3 of 3').getByRole('button', { name: 'Previous version' }).click();
    await message('answer', 'second').waitFor();
    // The focus stays where it was, for the next press.
    await becomes(page, `document.activeElement.getAttribute('aria-label') === 'Previous version'`);
    await page.keyboard.press('Enter');
    await version('1 of 3').waitFor();
    await message('answer', 'first').waitFor();
    expect(await prompts(id)).toEqual(['before', 'first']);
    await becomes(page, `document.activeElement.getAttribute('aria-label') === 'Next version'`);
    expect(await page.getByText('A new conversation').count()).toBe(0);
  });

  it('rewinds, restores and switches by keys', async () => {
    const { page } = at();
    const id = await asked('By keys', 'one', 'two');
    await page.locator('#main').focus();
    await page.keyboard.press('w');
    await page.getByRole('dialog').getByText('2 messages leave the view: 1 prompt and 1 answer.').waitFor();
    await page.keyboard.press('Enter');
    await becomes(page, `document.querySelector('textarea').value === 'two'`);
    await prompt().fill('');
    await button('Undo').waitFor();
    await prompt().press('Escape');
    await page.keyboard.press('u');
    await message('prompt', 'two').waitFor();
    await page.keyboard.press('w');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await becomes(page, `document.querySelector('textarea').value === 'two'`);
    await prompt().fill('another');
    await prompt().press('Enter');
    await message('answer', 'another').waitFor();
    await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.locator('#main').focus();
    await page.keyboard.press('h');
    await message('answer', 'two').waitFor();
    await page.getByRole('group', { name: 'Version 1 of 2' }).waitFor();
    await page.locator('#main').focus();
    await page.keyboard.press('l');
    await message('answer', 'another').waitFor();
    expect(await prompts(id)).toEqual(['one', 'another']);
  });

  it('shows versions, without switching, to those who may only read', async () => {
    const { page, client } = at();
    const id = await asked('Closed', 'one');
    const { data } = await client.listMessages({ id, limit: 500 });
    const { turnId } = await client.submitPrompt({ id, body: { input: 'other', replaces: data[0]!.uuid } });
    await client.getTurn({ id, turnId: turnId!, wait: 30 });
    await client.closeSession({ id });
    await page.getByText('This conversation is closed.').waitFor();
    await page.getByText('2/2').waitFor();
    expect(await page.getByRole('button', { name: /version|Rewind/ }).count()).toBe(0);
  });
}
