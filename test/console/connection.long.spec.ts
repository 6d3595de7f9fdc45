import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createClient } from '@verbatim/client';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { CHROMIUM, describeWith } from '../support/needs.js';
import { freePort } from '../support/port.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { signIn, TestBrowser, visit } from './support/browser.js';

/** Compiled, this file lies in dist/test/console. */
const VERBATIM = fileURLToPath(new URL('../../../bin/verbatim', import.meta.url));

/** Milliseconds. The loss of a worker with a short lock is noticed soon; one with a long lock loses its turns by no pause of the machine. */
const SHORT_LOCK = 3_000;
const LONG_LOCK = 60_000;

describeWith(CHROMIUM)('the console, of a server that is killed', () => {
  let database: TestDatabase;
  let token: string;
  let port: number;
  let server: ServerProcess;
  let browser: TestBrowser;
  let page: Page;
  const start = (lockMs: number) =>
    ServerProcess.start({ JOB_LOCK_MS: String(lockMs), LOG_LEVEL: 'warn', PORT: String(port), DATABASE_URL: database.ownerUrl });

  beforeAll(async () => {
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'console');
    port = await freePort();
    server = await start(SHORT_LOCK);
    browser = await TestBrowser.start();
    page = await browser.page(server.url);
  });
  afterEach(() => expect(browser.faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser.stop();
    await server.kill();
    await database.drop();
  });

  it('says so, reconnects by itself, and misses nothing', async () => {
    const client = createClient({ baseUrl: server.url, token });
    const { id } = await client.createSession({ body: { title: 'Survives' } });
    await signIn(page, server.url, token);
    await visit(page, `/sessions/${id}`);
    await page.getByText('A new conversation').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('{{slow 10}}{{long 300}}');
    await page.getByRole('textbox', { name: 'Prompt' }).press('Enter');
    await page
      .locator('article.draft .markdown')
      .getByText(/\w+ \w+/)
      .waitFor();
    await server.kill();
    await page.getByText('Reconnecting').waitFor();
    server = await start(LONG_LOCK);
    await page.getByText('Reconnecting').waitFor({ state: 'detached' });
    await page.locator('article.answer:not(.draft)').waitFor();
    const { data } = await client.listMessages({ id });
    const answer = data.flatMap((message) => (message.type === 'assistant' ? message.message.content : []))[0];
    expect(await page.locator('article.answer .markdown').innerText()).toBe(answer?.type === 'text' && answer.text.trim());
    await client.submitPrompt({ id, body: { input: 'from elsewhere' } });
    await page.locator('article.prompt').getByText('from elsewhere').waitFor();
  });

  it('signs a browser in by a link, once, and out again', async () => {
    const env = { PATH: process.env['PATH'], PORT: String(port), DATABASE_URL: database.ownerUrl };
    const { stdout } = await promisify(execFile)(process.execPath, [VERBATIM, 'sign-in-link', 'console', 'admin'], { env });
    const link = stdout.trim();
    const other = await browser.page(server.url);
    await other.goto(link);
    await other.getByRole('link', { name: 'Survives' }).waitFor();
    expect([new URL(other.url()).pathname, new URL(other.url()).hash]).toEqual(['/console/', '']);
    await other.reload();
    await other.getByRole('link', { name: 'Survives' }).click();
    await other.locator('article.prompt').getByText('from elsewhere').waitFor();
    await other.getByRole('button', { name: /^Account/ }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('Token').waitFor();
    await other.reload();
    await other.getByLabel('Token').waitFor();
    await other.goto('about:blank');
    await other.goto(link);
    await other.getByText('The code is not valid').waitFor();
    await other.context().close();
  });
});
