import { expect, it } from '@jest/globals';
import { ask, type Console, expectAccessibleEverywhere, opened } from './support/console.js';

/** Menus by the keyboard, by the pointer, and on a phone. */
export function menuTests(at: () => Console): void {
  const inFocus = (): Promise<string> =>
    at().page.evaluate<string>(`document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`);

  it('reaches every entry of a menu with the keyboard alone, and gives the focus back', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'By keys alone');
    const button = page.getByRole('button', { name: 'Actions of this conversation' });
    const menu = page.getByRole('menu', { name: 'Conversation' });
    const open = async (): Promise<void> => {
      await button.focus();
      await page.keyboard.press('Enter');
      await menu.waitFor();
    };
    await open();
    await menu.getByRole('menuitem', { name: 'Pin', disabled: false }).waitFor();
    await expectAccessibleEverywhere(page);
    const entries = (await menu.getByRole('menuitem').allInnerTexts()).map((text) => text.trim());
    expect(entries).toEqual([
      ...['Pin', 'Rename…', 'Move to folder…', 'Share…', 'Settings…', 'Schedules…', 'Compact…', 'Export…'],
      ...['Archive', 'Close', 'Legal hold…', 'Erase…'],
    ]);
    for (const entry of entries) {
      expect(await inFocus()).toBe(entry);
      await page.keyboard.press('ArrowDown');
    }
    expect(await inFocus()).toBe('Pin'); // round again
    for (const [key, entry] of [
      ...[['ArrowUp', 'Erase…'] as const, ['Home', 'Pin'] as const, ['End', 'Erase…'] as const, ['s', 'Share…'] as const],
      ...[['s', 'Settings…'] as const, ['s', 'Schedules…'] as const, ['s', 'Share…'] as const, ['r', 'Rename…'] as const],
    ]) {
      await page.keyboard.press(key);
      expect([key, await inFocus()]).toEqual([key, entry]);
    }
    // A letter is no shortcut of the page while a menu is open, and Escape does not stop an answer.
    expect(page.url()).toMatch(new RegExp(`${id}$`));
    for (const key of ['Escape', 'Tab']) {
      await page.keyboard.press(key);
      await menu.waitFor({ state: 'detached' });
      expect(await inFocus()).toBe('Actions of this conversation');
      await open();
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByLabel('Title').fill('By keys, renamed');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'By keys, renamed' }).waitFor();
    expect(await inFocus()).toBe('Actions of this conversation');
    expect((await client.getSession({ id })).title).toBe('By keys, renamed');

    // A press beside it closes it, and presses nothing else.
    await open();
    await page.mouse.click(300, 700);
    await menu.waitFor({ state: 'detached' });
  });

  it('offers all that can be done with a message in its menu, also on a phone', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Messages with menus');
    await ask(client, id, 'first {{say The answer}}');
    await ask(client, id, 'second {{say Another answer}}');
    await page.setViewportSize({ width: 390, height: 800 });
    const answer = page.locator('article.answer', { hasText: 'The answer' });
    await answer.waitFor();
    expect(await answer.getByRole('button').count()).toBe(1);
    await answer.getByRole('button', { name: 'More about this message' }).click();
    const menu = page.getByRole('menu', { name: 'Message' });
    expect((await menu.getByRole('menuitem').allInnerTexts()).map((text) => text.trim())).toEqual([
      ...['Copy text', 'What was sent', 'Fork here', 'Good answer', 'Bad answer'],
      ...['Share up to here…', 'Show as it is stored…', 'Copy id', 'Erase this message…'],
    ]);
    await menu.getByRole('menuitem', { name: 'Copy id' }).click();
    const { data } = await client.listMessages({ id });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(data.find(({ type }) => type === 'assistant')?.uuid);
    await answer.getByRole('button', { name: 'More about this message' }).click();
    await menu.getByRole('menuitem', { name: 'Good answer' }).click();
    await answer.getByText('Rated: good').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}
