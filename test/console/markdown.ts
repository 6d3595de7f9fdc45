import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { call } from '../support/tool-server.js';
import { ask, type Console, expectAccessible, opened, chooseInConversation } from './support/console.js';

/** Markdown of a conversation, from its menu. */
export function markdownTests(at: () => Console): void {
  it('saves a conversation as Markdown, with the thinking of the model where that is asked for', async () => {
    const { client, page } = at();
    const id = await opened(at(), 'Save: me/now');
    await ask(client, id, '{{think hm}}{{say # Head\n\nwords}}');
    await ask(client, id, call('Look', { label: 'x' }));
    await chooseInConversation(page, 'Export…');
    const dialog = page.getByRole('dialog', { name: 'Export' });
    const saved = async (): Promise<string> => {
      const coming = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Save the file' }).click();
      const download = await coming;
      expect(download.suggestedFilename()).toBe('Save me now.md');
      return readFile((await download.path())!, 'utf8');
    };
    const file = await saved();
    expect(file).toContain('# Save: me/now\n');
    expect(file).toContain('\n## User: admin\n');
    expect(file).toContain('\n### Head\n\nwords\n');
    expect(file).toContain('\n<summary>Tool: Look x</summary>\n');
    expect(file).not.toContain('Thinking');
    await dialog.getByLabel('With the thinking of the model').check();
    expect(await saved()).toContain('<summary>Thinking</summary>\n\n> hm\n');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  });
}
