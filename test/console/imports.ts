import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { becomes, type Console, expectAccessible, expectAccessibleEverywhere } from './support/console.js';
import { signIn, visit } from './support/browser.js';
import { Lines } from './support/transcripts.js';

/** Files become conversations: chosen, dropped, or a folder of them. */
export function importTests(at: () => Console): void {
  const talk = (title: string): string =>
    new Lines(title)
      .user(`about ${title}`)
      .assistant([{ type: 'text', text: 'an answer' }])
      .toString();
  const row = (name: string) => at().page.getByRole('row').filter({ hasText: name });

  it('imports the files that are chosen one after the other, once each, and says what is wrong with those that are not imported', async () => {
    const { page, client } = at();
    const title = `Chosen ${randomUUID()}`;
    const text = Buffer.from(talk(title));
    await visit(page, '/');
    await page.getByRole('link', { name: 'Import conversations' }).click();
    await page.getByRole('heading', { name: 'Import conversations' }).waitFor();
    const [good, broken] = [
      { name: 'good.jsonl', mimeType: 'application/x-ndjson', buffer: text },
      { name: 'broken.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from('no conversation at all') },
    ] as const;
    await page.getByLabel('Session files', { exact: true }).setInputFiles([good, broken, { ...good, name: 'same.jsonl' }]);
    await page.getByText('2 of 3 files imported').waitFor();
    await row('good.jsonl').getByText('2 messages.').waitFor();
    await row('broken.jsonl').getByRole('alert').getByText('No message in it can be read, so nothing was imported.').waitFor();
    expect(await row('broken.jsonl').getByRole('alert').getByRole('listitem').count()).toBe(1);
    expect(await row('same.jsonl').getByRole('link').getAttribute('href')).toBe(await row('good.jsonl').getByRole('link').getAttribute('href'));
    await expectAccessibleEverywhere(page);
    await row('good.jsonl').getByRole('link', { name: 'Open the conversation of good.jsonl' }).click();
    await page.getByText(`about ${title}`).waitFor();
    const { data } = await client.listSessions({ limit: 50 });
    const [made, ...others] = data.filter((one) => one.title === title);
    expect(others).toEqual([]);
    // What was erased can be imported once more.
    await client.eraseSession({ id: made!.id });
    await visit(page, '/import');
    await page.getByLabel('Session files', { exact: true }).setInputFiles([good]);
    await row('good.jsonl').getByRole('link', { name: 'Open the conversation of good.jsonl' }).click();
    await page.getByText(`about ${title}`).waitFor();
  });

  it('imports a folder, without the files of subagents and those that are no session files, and files that are dropped', async () => {
    const { page } = at();
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-import-'));
    try {
      await mkdir(path.join(folder, 'project/subagents'), { recursive: true });
      await writeFile(path.join(folder, 'project/one.jsonl'), talk('In a folder'));
      await writeFile(path.join(folder, 'project/subagents/agent-1.jsonl'), talk('Of an agent'));
      await writeFile(path.join(folder, 'project/notes.txt'), 'no session');
      await visit(page, '/import');
      await page.getByLabel('A folder of session files').setInputFiles(folder);
      await page.getByText('1 of 1 file imported').waitFor();
      await row('agent-1.jsonl').getByText('the file of a subagent').waitFor();
      await row('notes.txt').getByText('no session file').waitFor();
      const dropped = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(talk('Dropped'))}], 'dropped.jsonl'));
        return data;
      })()`);
      await page.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
      await page.getByText('2 of 2 files imported').waitFor();
      await row('dropped.jsonl').getByText('2 messages.').waitFor();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('offers on a device that is touched what can be done there, and says where a row of tabs is cut', async () => {
    const { browser, client, origin, server } = at();
    const { id } = await client.createSession({ body: { title: 'Touched' } });
    const page = await browser.page(origin, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    await signIn(page, origin, server.client.token!, '/import');
    await page.getByText('Session files of this device').waitFor();
    expect(await page.getByText('Drop files or a folder here').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Choose a folder' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.getByRole('button', { name: 'Keyboard help' }).count()).toBe(0);
    await expectAccessible(page);
    await page.goto(`${origin}/console/sessions/${id}`);
    const cut = (classes: readonly string[]): Promise<void> =>
      becomes(page, `[...(document.querySelector('.tabs')?.classList ?? [])].join(' ') === '${classes.join(' ')}'`);
    await cut(['tabs', 'cut-after']);
    await page.goto(`${origin}/console/sessions/${id}/audit`);
    await cut(['tabs', 'cut-before']);
    await page.context().close();
  });
}
