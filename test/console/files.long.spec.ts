import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '@verbatim/client';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith, SHELL } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { signIn, TestBrowser, visit } from './support/browser.js';
import { becomes, expectAccessibleEverywhere, tab } from './support/console.js';

/** How a name is shown that has markup, a line end, and a character that reorders what follows. */
const SHOWN = 'odd <b>⟦U+000A⟧⟦U+202E⟧name';

describeWith(CHROMIUM, SHELL)('the console, of a server that keeps the files of sessions', () => {
  let data: string;
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  let client: Client;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-console-files-'));
    await chmod(data, 0o711); // for the accounts of sessions
    server = await startTestServer({ DATA_DIR: data, TOOLS: 'Bash,Read,Write', WORKSPACE_HISTORY: 'true', WORKSPACE_DIFF_BYTES: '4000' });
    const { baseUrl, token } = server.client;
    client = createClient({ baseUrl, token: token! });
    browser = await TestBrowser.start();
    page = await browser.page(baseUrl);
    await signIn(page, baseUrl, token!);
  });
  afterEach(() => expect(browser.faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser.stop();
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const session = async (title: string): Promise<string> => (await client.createSession({ body: { title, permissionMode: 'bypassPermissions' } })).id;
  const shell = async (id: string, command: string): Promise<void> => {
    const { turnId } = await client.submitPrompt({ id, body: { input: command, mode: 'bash' } });
    await until(`the end of ${command}`, async () => (await client.getTurn({ id, turnId: turnId!, wait: 30 })).status === 'completed');
  };
  const opened = async (id: string, title: string): Promise<void> => {
    await visit(page, `/sessions/${id}`);
    await page.getByRole('heading', { name: title }).waitFor();
  };
  const paths = async (id: string): Promise<readonly string[]> => (await client.listFiles({ id })).data.map((file) => file.path);
  const content = async (id: string, file: string): Promise<string> => (await client.getFile({ id, path: file })).text();
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });

  it('shows below each turn which files it has changed, and how, when that is asked for', async () => {
    const id = await session('Changed');
    await shell(id, `printf 'one\\ntwo\\n' > a.txt; printf '\\000\\001' > b.bin; printf 1 > gone; printf 1 > $'odd <b>\\n\\u202Ename'; printf 1 > run`);
    await shell(id, 'cat a.txt');
    await shell(
      id,
      `printf 'one\\n2 <i>\\n' > a.txt; printf '\\000\\002' > b.bin; rm gone; printf 2 > $'odd <b>\\n\\u202Ename'; chmod 755 run; seq 2000 > long`,
    );
    await opened(id, 'Changed');
    const changes = page.getByRole('group', { name: 'Files that the turn has changed' });
    await changes.getByRole('button', { name: '5 files changed' }).waitFor();
    expect(await changes.count()).toBe(2); // not below the command that has changed none
    await changes.getByRole('button', { name: '6 files changed' }).focus();
    await page.keyboard.press('Enter');
    const list = changes.getByRole('list', { name: 'Changed files' });
    const named = await list.getByRole('button').allInnerTexts();
    expect(named.map((text) => text.trim().split('\n'))).toEqual([
      ['a.txt', 'changed'],
      ['b.bin', 'changed'],
      ['gone', 'deleted'],
      ['long', 'added'],
      [SHOWN, 'changed'],
      ['run', 'changed'],
    ]);
    const open = (name: string) => list.getByRole('button', { name }).click();
    await open('a.txt');
    const patch = list.getByRole('group', { name: 'Changes of a.txt' });
    await patch.waitFor();
    expect(await patch.locator('ins').allInnerTexts()).toEqual(['+2 <i>']);
    expect(await patch.locator('del').allInnerTexts()).toEqual(['-two']);
    await expectAccessibleEverywhere(page);
    for (const [name, said] of [
      ['b.bin', 'Not a text, so it is not compared: 2 B before, 2 B after.'],
      ['gone', '-1'],
      ['long', /^Too large or too different to be compared here: .* after\.$/],
      [SHOWN, '+2'],
      ['run', /^The content is the same; its mode was \d+ and is 755\.$/],
    ] as const) {
      await open(name);
      await list.getByText(said).first().waitFor();
    }
    await changes.getByRole('link', { name: 'All files after this answer' }).click();
    await page.getByRole('heading', { name: /^Files after / }).waitFor();
  });

  it('lists files that begin with a dot, or are in a folder that does, apart, and opens none of them first', async () => {
    const id = await session('Hidden');
    await shell(id, `mkdir .config && printf log > .config/readme && printf 1 > .env && printf seen > main.js`);
    await opened(id, 'Hidden');
    await page.locator('#main').focus();
    await page.keyboard.press('f');
    await page.getByRole('region', { name: 'File main.js' }).waitFor();
    const list = page.getByRole('region', { name: 'Files of the folder' });
    await list.getByText('3 files').waitFor();
    expect(await list.getByRole('list', { name: 'Files', exact: true }).getByRole('button').count()).toBe(1);
    await list.getByText('2 hidden files').click();
    await list.getByRole('button', { name: '.config/readme' }).click();
    await page.getByRole('region', { name: 'File .config/readme' }).waitFor();
    await expectAccessibleEverywhere(page);
    // An address of one of them shows where it is.
    await page.reload();
    await list.getByRole('list', { name: 'Hidden files' }).getByRole('button', { name: '.env' }).waitFor();
  });

  it('lists the files at every point, shows and downloads each, and says what was erased', async () => {
    const id = await session('Files');
    await shell(id, `printf 'let x = 1;\\n' > a.js; printf '\\000' > b.bin; ln -s a.js link; printf 1 > $'odd <b>\\n\\u202Ename'`);
    await shell(id, `printf 'let x = 2;\\n' > a.js; printf secret > later; mkfifo pipe`);
    await opened(id, 'Files');
    await page.locator('#main').focus();
    await page.keyboard.press('f');
    const list = page.getByRole('region', { name: 'Files of the folder' });
    await list.getByText('5 files').waitFor();
    await list.getByText('1 entry not recorded').click();
    await list.getByText('pipe: a device, a pipe or a socket').waitFor();
    const open = (name: string) => list.getByRole('list', { name: 'Files' }).getByRole('button', { name }).click();
    await open('a.js');
    await page.getByText('let x = 2;').waitFor();
    await expectAccessibleEverywhere(page);
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download').click()]);
    expect(download.suggestedFilename()).toBe('a.js');
    expect(await readFile(await download.path(), 'utf8')).toBe('let x = 2;\n');
    await open('b.bin');
    await page.getByText('Not a text, so it is not shown.').waitFor();
    await open('link');
    await page.getByText('a symbolic link: its target is').waitFor();
    await open(SHOWN);
    await page.getByRole('region', { name: `File ${SHOWN}` }).waitFor();

    const versions = page.getByRole('region', { name: 'Changes of the files' });
    // Each change names its files.
    const names = async (at: number): Promise<readonly string[]> => versions.locator('.version').nth(at).locator('.version-name').allInnerTexts();
    await versions.locator('.version-name', { hasText: 'later' }).waitFor();
    await until('the files of both changes are named', async () => (await names(1)).length === 3);
    expect((await names(0)).map((name) => name.split(/\s+/))).toEqual([
      ['a.js', 'changed'],
      ['later', 'added'],
    ]);
    await versions.getByText('and 1 more file', { exact: true }).waitFor();
    await open('a.js');
    expect(await page.locator('.line-numbers').innerText()).toBe('1');
    await versions.getByRole('button', { name: /^Show the files after 4 files written/ }).click();
    await page.getByRole('region', { name: 'File a.js' }).getByText('let x = 1;').waitFor();
    await list.getByText('4 files').waitFor();
    // The diffs stand in place of the names, that of the first file open.
    await versions.getByRole('group', { name: 'Changes of a.js' }).waitFor();
    expect(await versions.locator('.version').nth(1).locator('.version-name').count()).toBe(0);
    expect(await versions.getByRole('list', { name: 'Changed files' }).getByRole('button').count()).toBe(4);
    await list.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('let x = 2;').waitFor();

    await open('later');
    await page.getByText('secret', { exact: true }).waitFor();
    const { data: messages } = await client.listMessages({ id });
    const last = messages.findLast((one) => one.type === 'system' && String(one.content).startsWith('<bash-input>'))!;
    await client.eraseMessage({ id, uuid: last.uuid });
    await page.getByText('What an erased message had written is erased, and cannot be read any more.').waitFor();
    await versions.getByText('erased', { exact: true }).waitFor();
    expect(await page.getByText('secret', { exact: true }).count()).toBe(0);
  });

  it('takes back the conversation, the files, or both, after it has said which, and brings them back', async () => {
    const id = await session('Back');
    await shell(id, 'printf 1 > a; printf 1 > gone');
    await shell(id, 'printf 2 > a; rm gone; printf 2 > new');
    await opened(id, 'Back');
    const dialog = page.getByRole('dialog', { name: 'Rewind to here' });
    const asked = async (): Promise<void> => {
      await page.locator('.terminal', { hasText: 'rm gone' }).getByRole('button', { name: 'Rewind to here' }).click();
      await dialog.getByRole('radio', { name: 'The conversation' }).waitFor();
    };
    await asked();
    expect(await dialog.getByRole('radio', { name: 'The conversation' }).isChecked()).toBe(true);
    await dialog.getByText('Files that tools have changed stay as they are.').waitFor();
    await dialog.getByRole('radio', { name: 'The files' }).check();
    const back = dialog.getByRole('list', { name: 'Files that go back' });
    await back.getByText('gone comes back').waitFor();
    expect(await back.getByRole('listitem').allInnerTexts()).toEqual(['a changes back', 'gone comes back', 'new is removed']);
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click();
    await page.getByRole('status').getByText('The files were taken back').waitFor();
    expect(await paths(id)).toEqual(['a', 'gone']);
    expect((await client.listMessages({ id })).data).toHaveLength(4);
    await expectAccessibleEverywhere(page);
    await button('Undo').click();
    await button('Undo').waitFor({ state: 'detached' });
    expect(await paths(id)).toEqual(['a', 'new']);

    await asked();
    await dialog.getByRole('radio', { name: 'Both' }).check();
    await dialog.getByText('3 files as before this message:').waitFor();
    await dialog.getByText('2 messages leave the view').waitFor();
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click();
    await page.getByRole('status').getByText('The conversation and its files were rewound to here').waitFor();
    expect([await paths(id), await content(id, 'a')]).toEqual([['a', 'gone'], '1']);
    await becomes(page, `document.querySelector('textarea').value.startsWith('!printf 2') || document.querySelector('textarea').value.startsWith('printf 2')`);
    await page.getByRole('textbox', { name: 'Prompt' }).press('Escape');
    await page.reload();
    await button('Undo').click();
    await page.getByText('rm gone').first().waitFor();
    await until('the files are back', async () => (await content(id, 'a')) === '2');
    expect(await paths(id)).toEqual(['a', 'new']);
  });

  it('offers no choice, and has no files, where no tool has changed any', async () => {
    const id = await session('None');
    await shell(id, 'printf hello');
    await opened(id, 'None');
    await page.locator('.terminal', { hasText: 'printf hello' }).getByRole('button', { name: 'Rewind to here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rewind to here' });
    await dialog.getByText('Files that tools have changed stay as they are.').waitFor();
    expect(await dialog.getByRole('radio').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tab(page, 'Files').click();
    await page.getByText('No files yet').waitFor();
    await expectAccessibleEverywhere(page);
  });
});
