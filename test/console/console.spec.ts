import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createClient, type Client } from '@verbatim/client';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../support/needs.js';
import { until } from '../support/until.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { violationsOf } from './support/accessibility.js';
import { picture, signIn, TestBrowser, visit } from './support/browser.js';
import { peopleTests } from './people.js';
import { sharingTests } from './sharing.js';
import type { Console } from './support/console.js';
import { unknownTests } from './unknown.js';
import { hostileTranscript, longTranscript } from './support/transcripts.js';

/** What the browser may have fetched, compressed, when the first view is there. */
const FIRST_VIEW_BYTES = 300 * 1024;

describeWith(CHROMIUM)('the console', () => {
  let server: ToolServer;
  let browser: TestBrowser;
  let page: Page;
  let client: Client;
  let origin: string;
  let token: string;

  beforeAll(async () => {
    server = await startToolServer();
    origin = server.client.baseUrl;
    token = server.client.token!;
    client = createClient({ baseUrl: origin, token });
    browser = await TestBrowser.start();
    page = await browser.page(origin);
    let bytes = 0;
    page.on('response', (response) => (bytes += Number(response.headers()['content-length'] ?? 0)));
    await signIn(page, origin, token);
    await page.getByText('No conversations yet').waitFor();
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(FIRST_VIEW_BYTES);
  });
  afterEach(() => expect(browser.faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser.stop();
    await server.stop();
  });

  const prompt = () => page.getByRole('textbox', { name: 'Prompt' });
  /** The policy of the page forbids what `waitForFunction` does. */
  const becomes = (expression: string): Promise<void> => until(expression, () => page.evaluate<boolean>(expression), 20);
  const send = async (text: string): Promise<void> => {
    await prompt().fill(text);
    await prompt().press('Enter');
  };
  const answers = () => page.locator('article.answer:not(.draft)');
  const fresh = async (title: string): Promise<string> => {
    const { id } = await client.createSession({ body: { title } });
    await visit(page, `/sessions/${id}`);
    await page.getByRole('heading', { name: title }).waitFor();
    return id;
  };
  const ask = async (id: string, input: string): Promise<void> => {
    const { turnId } = await client.submitPrompt({ id, body: { input } });
    await client.getTurn({ id, turnId: turnId!, wait: 30 });
  };
  const tab = (name: string) => page.getByRole('navigation', { name: 'Views of the conversation' }).getByRole('link', { name, exact: true });

  it('says why a token is not accepted', async () => {
    const other = await browser.page(origin);
    await other.goto(`${origin}/console/sessions/x`);
    await other.getByLabel('Token').fill('vb_wrong');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('The token is not valid').waitFor();
    await other.context().close();
  });

  it('begins a conversation, and shows an answer as it streams, with its Markdown', async () => {
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await send('{{slow 10}}{{long 200}}');
    await page
      .locator('article.draft')
      .getByText(/\w+ \w+ \w+/)
      .waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Interrupted here').waitFor();
    await send('{{say **strong** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x;\n```}}');
    await answers().locator('table').getByText('1').waitFor();
    expect(await answers().last().locator('strong', { hasText: 'strong' }).count()).toBe(1);
    expect(await answers().last().locator('pre').innerText()).toBe('let x;');
  });

  it('says in two clicks from the list why a block was changed, and verifies in the browser what was sent', async () => {
    const { id } = await client.createSession({ body: { title: 'Why so', context: { project: 'A compiler' } } });
    await ask(id, '{{think A short answer will do.}}{{say The lexer splits the text into tokens.}}');
    await visit(page, '/');
    await page.getByRole('link', { name: 'Why so' }).click();
    await page.getByRole('link', { name: 'What was sent' }).last().click();
    await page.getByText('the context of the session precedes the conversation').waitFor();
    const added = page.locator('.block-row.added').first();
    expect(await added.locator('.side').last().innerText()).toContain('A compiler');
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('verified in this browser').waitFor();
    await picture(page, 'console.png');
    await added.getByRole('button').first().click();
    await page.getByLabel('Sent block').waitFor();
    await page.getByRole('button', { name: /^added/ }).click();
    expect(await page.locator('.block-row:not(.added)').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('show')).toBe('added');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const { requestId } = (await client.listRequests({ id })).data[0]!;
    const { payload } = await client.getRequest({ id, requestId });
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`--data-binary '${JSON.stringify(payload).replaceAll("'", String.raw`'\''`)}'`);
    await page.getByRole('button', { name: 'Raw JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Payload').innerText())).toEqual(payload);
  });

  it('asks for approvals, and tells the model what to do instead', async () => {
    await fresh('Tools');
    await send(call('Work', { label: 'one' }));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect(server.tools.runs.at(-1)?.input).toEqual({ label: 'one' });
    await page.getByRole('button', { name: /^Work/ }).first().click();
    await page.getByText('did one').first().waitFor();
    await page.getByText(/Ran for/).waitFor();
    await send(call('Work', { label: 'two' }));
    await page.getByLabel('What to do instead').fill('use the other folder');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('failed', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Work.*failed/ }).click();
    await page.getByText('use the other folder').first().waitFor();
  });

  it('queues prompts and withdraws them, completes commands and shows their answers', async () => {
    await fresh('Queue');
    await send('{{slow 20}}{{long 2000}}');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await send('and then this');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('button', { name: 'Withdraw' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Interrupted here').waitFor();
    await prompt().fill('/stat');
    await page.getByRole('option', { name: /\/status/ }).waitFor();
    await prompt().press('Tab');
    expect(await prompt().inputValue()).toBe('/status ');
    await prompt().press('Enter');
    await page.getByLabel('Answer of the command').getByText('claude').first().waitFor();
  });

  it('sends pasted text and images, and shows the image', async () => {
    await fresh('Pastes');
    await page.evaluate(`(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 6 });
      canvas.getContext('2d').fillRect(0, 0, 4, 4);
      const images = new DataTransfer();
      images.items.add(new File([await new Promise((done) => canvas.toBlob(done))], 'one.png', { type: 'image/png' }));
      const text = new DataTransfer();
      text.setData('text/plain', 'long line\\n'.repeat(400));
      for (const clipboardData of [images, text])
        document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await page.getByText('Pasted text, 401 lines').waitFor();
    await page.getByText('one.png').waitFor();
    await send('What is this?');
    await becomes(`document.querySelector('article.prompt img')?.naturalWidth === 8`);
    await answers().first().waitFor();
  });

  it('edits a prompt, regenerates, compares and restores branches, and forks', async () => {
    const id = await fresh('Branches');
    await send('first wording');
    await answers().getByText('first wording').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await prompt().inputValue()).toBe('first wording');
    await send('second wording');
    await answers().getByText('second wording').waitFor();
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await tab('Branches').click();
    await page.locator('.branch').nth(2).waitFor();
    const old = page.locator('.branch', { hasText: 'first wording' });
    await old.getByRole('button', { name: 'Compare' }).click();
    await old.getByText('second wording').first().waitFor();
    await old.getByText('Difference').first().click();
    await old.locator('del', { hasText: 'first' }).first().waitFor();
    await old.getByRole('button', { name: 'Restore' }).click();
    await page.locator('.branch.current', { hasText: 'first wording' }).waitFor();
    await tab('Conversation').click();
    await page.locator('article.prompt').getByText('first wording').waitFor();
    await page.getByRole('button', { name: 'Fork here' }).last().click();
    await page.waitForURL((url) => !url.pathname.includes(id));
    await page.getByRole('link', { name: 'forked from' }).waitFor();
  });

  it('finds, filters, renames, closes and erases conversations', async () => {
    const id = await fresh('To be renamed');
    await send('{{say The quokka smiles}}');
    await answers().getByText('quokka').waitFor();
    await visit(page, '/');
    await page.getByLabel('Search titles and texts').fill('quokka');
    await page.locator('mark').first().waitFor();
    await page.getByLabel('Search titles and texts').fill('');
    await page.getByRole('button', { name: 'Actions of To be renamed' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('link', { name: 'Renamed' }).waitFor();
    await page.getByRole('button', { name: 'Actions of Renamed' }).click();
    await page.getByRole('button', { name: 'Share…' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('support');
    await page.getByRole('combobox', { name: /^Who/ }).selectOption('group');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('the group support').waitFor();
    expect((await client.listGrants({ id })).data).toContainEqual({ principal: 'group:support', role: 'viewer' });
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Actions of Renamed' }).click();
    await page.getByRole('button', { name: /^Close: / }).click();
    await page.getByRole('button', { name: /^Filter/ }).click();
    await page.getByRole('combobox', { name: /^Status/ }).selectOption('closed');
    await page.getByRole('link', { name: 'Renamed' }).waitFor();
    expect(await page.locator('.session-row').count()).toBe(1);
    await page.getByRole('button', { name: 'Actions of Renamed' }).click();
    await page.getByRole('button', { name: 'Erase its content…' }).click();
    await page.getByLabel('I know that this cannot be undone').check();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await visit(page, `/sessions/${id}`);
    await page.getByText('The content of this conversation was erased.').waitFor();
    await visit(page, '/');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: /^Filter/ }).click();
  });

  it('shows a hostile transcript as text', async () => {
    const { id } = await client.importSession({ body: hostileTranscript() });
    await visit(page, `/sessions/${id}`);
    await page.getByRole('log').getByText('the end of it').waitFor();
    await visit(page, `/sessions/${id}/requests`);
    await visit(page, `/sessions/${id}`);
    await page.getByRole('log').getByText('the end of it').waitFor();
    await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
    await page.getByText('prompt', { exact: false }).first().waitFor();
    await page.getByText('[image: pixel]').waitFor();
    await page.getByText('invoice_⟦U+202E⟧fdp.exe').waitFor();
    expect(await page.locator('#main img, #main iframe, #main script').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"], a[href^="data:"]').count()).toBe(0);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });

  const console = (): Console => ({ server, browser, page, client, origin });
  unknownTests(console);
  peopleTests(console);
  sharingTests(console);

  it('says what a broken prefix cost, in tokens and in money', async () => {
    const costs = async (model: string): Promise<void> => {
      const { id } = await client.createSession({ body: { title: `Costs of ${model}`, model } });
      await ask(id, 'one {{cached 0 9000}}');
      const { data } = await client.listMessages({ id });
      await client.rewindSession({ id, body: { before: data[0]!.uuid } });
      await ask(id, 'instead {{cached 1000 8000}}');
      await visit(page, `/sessions/${id}/requests/${(await client.listRequests({ id })).data.at(-1)!.requestId}`);
    };
    await costs('claude-opus-5');
    await page.getByText('8,000 tokens of the cache were not read again. That cost $0.046 more than reading them.').waitFor();
    await page.getByText('1,000 from the cache').waitFor();
    await costs('claude-fable-5-2');
    await page.getByText('What that cost is not known: claude-fable-5-2 has no price').waitFor();
  });

  it('shows the newest of 10,000 messages at once, lays out only those in view, and leaves no blank row when scrolled', async () => {
    await client.importSession({ body: longTranscript(10_000) });
    await visit(page, '/');
    await page.getByRole('link', { name: 'A long one' }).waitFor();
    const started = performance.now();
    await page.getByRole('link', { name: 'A long one' }).click();
    await page.getByRole('heading', { name: 'Answer 9999' }).waitFor();
    const took = performance.now() - started;
    process.stderr.write(`console: 10,000 messages: ${Math.round(took)} ms to the first paint\n`);
    expect(await page.locator('article').count()).toBeLessThan(60);
    for (const share of [0.5, 0.1, 0]) {
      await page.evaluate(`(() => { const log = document.querySelector('[role=log]'); log.scrollTop = log.scrollHeight * ${share}; })()`);
      await becomes(`(() => {
        const box = document.querySelector('[role=log]').getBoundingClientRect();
        return [0.2, 0.5, 0.8].every((part) => document.elementFromPoint(box.left + box.width / 2, box.top + box.height * part)?.closest('.row') != null);
      })()`);
    }
    // Earlier messages are put before those in view while they arrive: the top is scrolled to until it is the first one.
    await until('the first message is in view', async () => {
      await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
      return page.getByText('Question 0', { exact: true }).isVisible();
    });
    await page.getByRole('button', { name: '↓ Newest' }).click();
    await page.getByRole('heading', { name: 'Answer 9999' }).waitFor();
  });

  it('shows two readers of one conversation the same, as it happens', async () => {
    const id = await fresh('Together');
    const other = await browser.page(origin, { colorScheme: 'dark' });
    await signIn(other, origin, token, `/sessions/${id}`);
    await other.getByText('A new conversation').waitFor();
    await send('{{slow 20}}{{long 150}}');
    await other.locator('article.draft').waitFor();
    await other.locator('article.answer:not(.draft)').waitFor();
    await answers().first().waitFor();
    expect(await other.getByRole('log').innerText()).toBe(await page.getByRole('log').innerText());
    await other.context().close();
  });

  it('verifies the log in the browser, and notices an altered event', async () => {
    const id = await fresh('To be proven');
    await ask(id, 'something to prove');
    await tab('Audit').click();
    await page.getByText('valid', { exact: true }).waitFor();
    const verify = page.getByRole('button', { name: 'Verify', exact: true });
    const verified = page.getByText('Verified.');
    const outcome = page.getByRole('status').filter({ hasText: /Verified|Not proven/ });
    do {
      await verify.click();
      await outcome.waitFor();
    } while (!(await verified.isVisible()) && (await outcome.innerText()).includes('yet'));
    expect(await outcome.innerText()).toMatch(/\d+ of \d+ events are unchanged since the checkpoint/);
    await page.route('**/export?format=log', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('something to prove', 'something to forge') });
    });
    await verify.click();
    await page.getByText(/Line \d+: event \d+ is not the one that was recorded/).waitFor();
    await page.unroute('**/export?format=log');
  });

  it('shows where the time went, and what the tenant has', async () => {
    const id = await fresh('Time');
    await ask(id, 'one');
    await tab('Timeline').click();
    await page
      .getByText(/model \d+.*%/)
      .first()
      .waitFor();
    await visit(page, '/tenant');
    await page.getByLabel('Name').fill('laptop');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Shown this once').waitFor();
    await page.getByRole('button', { name: 'Revoke laptop', exact: true }).click();
    await page.getByRole('button', { name: 'Really revoke laptop' }).click();
    await page.getByRole('rowheader', { name: 'laptop' }).waitFor({ state: 'detached' });
    await visit(page, '/tenant/people');
    await page.getByRole('rowheader').first().waitFor();
    await visit(page, '/tenant/usage');
    await page.getByRole('rowheader', { name: 'admin' }).waitFor();
    await visit(page, '/tenant/settings');
    await page.getByLabel(/^Instructions/).fill('Be brief.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Turn advisor/ }).waitFor();
    await visit(page, '/tenant/audit');
    await page.getByText('every log is valid').waitFor();
  });

  it('is used by keyboard', async () => {
    const id = await fresh('Keys');
    await ask(id, 'one');
    await answers().first().waitFor();
    await page.locator('#main').focus();
    await page.keyboard.press('k');
    await page.waitForURL(/message=/);
    await page.keyboard.press('r');
    await page.waitForURL(/requests/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/sessions/);
  });

  it.each(['light', 'dark'] as const)('has no finding of axe on any screen, in %s and at the width of a phone', async (colorScheme) => {
    const { id } = await client.createSession({ body: { title: `For axe, ${colorScheme}`, context: { a: 'b' } } });
    await ask(id, '{{think hm}}{{say # Head\n\ntext [link](https://example.com) `x`}}');
    await ask(id, call('Look', { label: 'x' }));
    const { requestId } = (await client.listRequests({ id })).data[0]!;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (colorScheme === 'dark') await page.setViewportSize({ width: 390, height: 800 });
    const views = [
      '/',
      `/sessions/${id}`,
      ...['requests', `requests/${requestId}?block=0.0.0`, 'branches', 'timeline', 'audit'].map((view) => `/sessions/${id}/${view}`),
    ];
    const tenant = ['/tenant', ...['people', 'usage', 'settings', 'tools', 'audit'].map((view) => `/tenant/${view}`)];
    for (const view of [...views, ...tenant]) {
      await visit(page, view);
      await becomes(`document.querySelector('.loading') === null`);
      // What dark changes is colours.
      expect([view, await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)]).toEqual([view, []]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
