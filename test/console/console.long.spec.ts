import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createClient, type Client } from '@verbatim/client';
import type { Page } from 'playwright-core';
import { CHROMIUM, describeWith } from '../support/needs.js';
import { until } from '../support/until.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { BEYOND_THE_SCREEN, violationsOf } from './support/accessibility.js';
import { pictures, signIn, TestBrowser, visit } from './support/browser.js';
import { peopleTests } from './people.js';
import { scheduleTests } from './schedules.js';
import { sharingTests } from './sharing.js';
import { settingTests } from './settings.js';
import { agentTests } from './agents.js';
import { auditTests } from './audit.js';
import { branchTests } from './branches.js';
import { configurationTests, installPlugins } from './configuration.js';
import { editTests } from './edits.js';
import { listTests } from './lists.js';
import { markdownTests } from './markdown.js';
import { menuTests } from './menus.js';
import { markupTests } from './markup.js';
import { helperTests } from './helpers.js';
import { memoryTests } from './memory.js';
import { notificationTests } from './notifications.js';
import { paletteTests } from './palette.js';
import { pdfTests } from './pdfs.js';
import { payloadTests } from './payloads.js';
import { rewindTests } from './rewinds.js';
import { readmeTests } from './readme.js';
import { requestTests } from './requests.js';
import { type Console, ask, becomes, choose, expectAccessible, opened, tab } from './support/console.js';
import { tenantTests } from './tenant.js';
import { importTests } from './imports.js';
import { toolViewTests } from './tool-views.js';
import { transcriptTests } from './transcripts.js';
import { turnTests } from './turns.js';
import { unknownTests } from './unknown.js';
import { usageTests } from './usage.js';
import { walkTests } from './walks.js';
import { SESSION_VIEWS, TENANT_VIEWS } from './support/views.js';

/** What the browser may have fetched, compressed, when the first view is there. */
const FIRST_VIEW_BYTES = 200 * 1024;

describeWith(CHROMIUM)('the console', () => {
  let server: ToolServer;
  let plugins: Awaited<ReturnType<typeof installPlugins>>;
  let browser: TestBrowser;
  let page: Page;
  let client: Client;
  let origin: string;
  let token: string;

  beforeAll(async () => {
    plugins = await installPlugins();
    server = await startToolServer({ PLUGINS_DIR: plugins.folder });
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
    await plugins.remove();
  });

  const prompt = () => page.getByRole('textbox', { name: 'Prompt' });
  const send = async (text: string): Promise<void> => {
    await prompt().fill(text);
    await prompt().press('Enter');
  };
  const answers = () => page.locator('article.answer:not(.draft)');
  const fresh = (title: string): Promise<string> => opened(console(), title);

  it('says why a token is not accepted', async () => {
    const other = await browser.page(origin);
    await other.goto(`${origin}/console/sessions/x`);
    await other.getByLabel('Token').fill('vb_wrong');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByText('The token is not valid').waitFor();
    await other.context().close();
  });

  it('begins a conversation, and shows an answer as it streams, with its Markdown', async () => {
    const button = page.getByRole('button', { name: 'New conversation' }).first();
    await button.click();
    await page.waitForURL('**/sessions/*');
    const address = page.url();
    // What is typed next is its first prompt, and no key of the page.
    await becomes(page, `document.activeElement.matches('.composer textarea')`);
    await visit(page, '/');
    await page.locator('body').press('n');
    await page.waitForURL(address);
    await becomes(page, `document.activeElement.matches('.composer textarea')`);
    await visit(page, '/');
    await button.click(); // nothing has happened in it: it is still the new one
    await page.waitForURL(address);
    expect((await client.listSessions({})).data).toHaveLength(1);
    await send('{{slow 100}}{{long 5000}}');
    await page
      .locator('article.draft .markdown')
      .getByText(/\w+ \w+ \w+/)
      .waitFor();
    // It says from its beginning which model answers.
    await page.locator('article.draft header').getByText('Claude', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Interrupted here').waitFor();
    await send('{{say **strong** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x;\n```}}');
    await answers().locator('table').getByText('1').waitFor();
    expect(await answers().last().locator('strong', { hasText: 'strong' }).count()).toBe(1);
    expect(await answers().last().locator('pre').innerText()).toBe('let x;');
  });

  it('shows code in a prompt as code, and all else as it was typed', async () => {
    await fresh('Typed');
    const typed = 'Run `npm *test*`:\n\n1. **not** a list\n```sql\nSELECT `a` FROM <b>;\n```\n# no heading\n```\nnot closed';
    await send(typed);
    const shown = page.locator('article.prompt .bubble');
    await shown.locator('pre').getByText('SELECT `a` FROM <b>;').waitFor();
    expect(await shown.locator('code:not(pre code)').allInnerTexts()).toEqual(['npm *test*']);
    expect(await shown.locator('.plain').allInnerTexts()).toEqual(['Run npm *test*:\n\n1. **not** a list', '# no heading\n```\nnot closed']);
    expect(await shown.locator('strong, ol, h2, b').count()).toBe(0);
    await answers().first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Edit' }).click();
    await becomes(page, `document.querySelector('textarea').value === ${JSON.stringify(typed)}`);
  });

  it('asks for approvals, and tells the model what to do instead', async () => {
    await fresh('Tools');
    await send(call('Work', { label: 'one' }));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect(server.tools.runs.at(-1)?.input).toEqual({ label: 'one' });
    await page.getByRole('button', { name: /^Work/ }).first().click();
    await page.getByText('did one').first().waitFor();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText(/Ran for/).waitFor();
    await send(call('Work', { label: 'two' }));
    const reason = page.getByLabel('Reason for a denial');
    await page.getByRole('button', { name: 'Deny…' }).waitFor();
    expect(await reason.count()).toBe(0);
    await page.getByRole('button', { name: 'Deny…' }).click();
    await becomes(page, `document.activeElement === document.querySelector('.denial input')`);
    await reason.press('Escape');
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByRole('button', { name: 'Deny without a reason' }).waitFor();
    await reason.fill('use the other folder');
    await page.getByRole('button', { name: 'Deny with this reason' }).click();
    await page.getByText('denied', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Work.*denied/ }).click();
    await page.getByText('use the other folder').first().waitFor();
  });

  it('takes y and d for the first call that waits, but not where text is written', async () => {
    await fresh('Keys');
    await send(call('Work', { label: 'three' }) + call('Work', { label: 'four' }));
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.nth(1).waitFor();
    await prompt().press('y');
    expect(await prompt().inputValue()).toBe('y');
    await prompt().fill('');
    await prompt().press('Tab');
    await page.keyboard.press('y');
    await approve.nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await page.getByText('done', { exact: true }).nth(1).waitFor();
    expect(server.tools.runs.slice(-2).map(({ input }) => input)).toEqual([{ label: 'three' }, { label: 'four' }]);
    await send(call('Work', { label: 'five' }));
    await approve.waitFor();
    // A panel that covers the page has the keys.
    await page.getByRole('button', { name: /^Account/ }).click();
    for (const key of ['y', 'd', 'c', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('group', { name: 'Account' }).waitFor({ state: 'hidden' });
    expect(await approve.isVisible()).toBe(true);
    await prompt().press('Tab');
    // A call that waits outlasts an Escape too many; a second press of what decides about it does nothing.
    await page.keyboard.press('Escape');
    expect(await approve.isVisible()).toBe(true);
    await page.keyboard.press('d');
    await page.getByText('denied', { exact: true }).waitFor();
    await send(call('Work', { label: 'six' }));
    await approve.dblclick();
    await page.getByText('done', { exact: true }).nth(2).waitFor();
    await answers().last().getByText('Work returned').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('queues prompts and withdraws them, completes commands and shows their answers', async () => {
    await fresh('Queue');
    await send('{{slow 100}}{{long 5000}}');
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
    await becomes(page, `document.querySelector('.pastes img')?.naturalWidth === 8`);
    await send('What is this?');
    await becomes(page, `document.querySelector('article.prompt img')?.naturalWidth === 8`);
    await page.getByRole('button', { name: /^Enlarge: Image/ }).press('Enter');
    const enlarged = page.getByRole('dialog', { name: /^Image/ });
    await enlarged.getByRole('button', { name: 'Show in its own size' }).click();
    await enlarged.getByRole('button', { name: 'Fit into the window' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await enlarged.waitFor({ state: 'detached' });
    await answers().first().waitFor();
    // An edit keeps the image, unless it is removed.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Remove one.png' }).waitFor();
    await send('What is that?');
    await page.locator('article.prompt', { hasText: 'What is that?' }).waitFor();
    await becomes(page, `document.querySelector('article.prompt img')?.naturalWidth === 8`);
    await answers().getByText('What is that?').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Remove one.png' }).click();
    await send('Only words');
    await answers().getByText('Only words').waitFor();
    expect(await page.locator('article.prompt img').count()).toBe(0);
  });

  it('edits a prompt, regenerates, compares and restores branches, and forks', async () => {
    const id = await fresh('Branches');
    await send('first wording');
    await answers().getByText('first wording').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await becomes(page, `document.querySelector('textarea').value === 'first wording'`);
    await send('second wording');
    await answers().getByText('second wording').waitFor();
    const { head } = await client.getSession({ id });
    await page.getByRole('button', { name: 'Regenerate' }).click();
    // With its end the page knows the last version: the branches are not read once more while they are compared.
    await page.locator(`article.answer:not(.draft):not([data-uuid="${head}"])`).waitFor();
    await page.locator('article.draft').waitFor({ state: 'detached' });
    await tab(page, 'Branches').click();
    await page.locator('.branch').nth(2).waitFor();
    const old = page.locator('.branch', { hasText: 'first wording' });
    await old.getByRole('button', { name: 'Compare' }).click();
    await old.getByText('second wording').first().waitFor();
    await old.locator('.differs', { hasText: 'first' }).first().waitFor();
    await old.getByRole('button', { name: 'Restore' }).click();
    await page.locator('.branch.current', { hasText: 'first wording' }).waitFor();
    await tab(page, 'Conversation').click();
    await page.locator('article.prompt').getByText('first wording').waitFor();
    await page.getByRole('button', { name: 'Fork here' }).last().click();
    await page.waitForURL((url) => !url.pathname.includes(id));
    await page.getByRole('link', { name: 'forked from Branches' }).waitFor();
  });

  it('finds, filters, renames, closes and erases conversations', async () => {
    const id = await fresh('To be renamed');
    await send('{{say The quokka smiles}}');
    await answers().getByText('quokka').waitFor();
    await visit(page, '/');
    await page.getByLabel('Search titles and texts').fill('quokka');
    await page.locator('mark').first().waitFor();
    await page.getByLabel('Search titles and texts').fill('');
    await choose(page, 'Actions of To be renamed', 'Rename…');
    await becomes(page, `document.activeElement.matches('dialog input')`);
    await page.getByLabel('Title', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('link', { name: 'Renamed' }).waitFor();
    await choose(page, 'Actions of Renamed', 'Share…');
    await page.getByRole('combobox', { name: /^Who/ }).selectOption('group');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('support');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByText('the group support').waitFor();
    expect((await client.listGrants({ id })).data).toContainEqual({ principal: 'group:support', role: 'viewer' });
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await choose(page, 'Actions of Renamed', 'Close');
    await page.getByRole('button', { name: /^Filter/ }).click();
    await page.getByRole('combobox', { name: /^Status/ }).selectOption('closed');
    await page.getByRole('link', { name: 'Renamed' }).waitFor();
    expect(await page.locator('.session-row').count()).toBe(1);
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await choose(page, 'Actions of Renamed', 'Erase…');
    await page.getByLabel('I know that this cannot be undone').check();
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await visit(page, `/sessions/${id}`);
    await page.getByText('The content of this conversation was erased.').waitFor();
    await visit(page, '/');
    await page.getByRole('button', { name: 'Without the filter closed' }).click();
    await page.getByRole('group', { name: 'Filters' }).waitFor({ state: 'detached' });
  });

  const console = (): Console => ({ server, browser, page, client, origin });
  editTests(console);
  menuTests(console);
  pdfTests(console);
  turnTests(console);
  rewindTests(console);
  branchTests(console);
  markdownTests(console);
  paletteTests(console);
  notificationTests(console);
  requestTests(console);
  payloadTests(console);
  toolViewTests(console);
  importTests(console);
  markupTests(console);
  transcriptTests(console);
  auditTests(console);
  unknownTests(console);
  peopleTests(console);
  sharingTests(console);
  scheduleTests(console);
  tenantTests(console);
  helperTests(console);
  memoryTests(console);
  usageTests(console);
  settingTests(console);
  configurationTests(console);
  agentTests(console);
  listTests(console);
  walkTests(console);
  readmeTests(console);

  it('shows two readers of one conversation the same, as it happens', async () => {
    const id = await fresh('Together');
    const other = await browser.page(origin, { colorScheme: 'dark' });
    await signIn(other, origin, token, `/sessions/${id}`);
    await other.getByText('A new conversation').waitFor();
    await send('{{slow 100}}{{long 5000}}');
    for (const each of [page, other])
      await each
        .locator('article.draft .markdown')
        .getByText(/\w+ \w+ \w+/)
        .waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    for (const each of [page, other]) await each.getByText('Interrupted here').waitFor();
    // Each reads by itself that the turn has ended.
    await until('both show the same', async () => (await other.getByRole('log').innerText()) === (await page.getByRole('log').innerText()));
    expect(await other.locator('article.answer:not(.draft)').count()).toBe(1);
    await other.context().close();
  });

  it('shows the newest conversations when a window that was as narrow as a phone is wide again', async () => {
    await fresh('Narrow');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator('.list').waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.session-row').first().waitFor();
    await client.createSession({ body: { title: 'The newest' } });
    await visit(page, '/');
    await page.getByRole('link', { name: 'The newest' }).waitFor();
  });

  it('is used by keyboard', async () => {
    const id = await fresh('Keys');
    await ask(client, id, 'one');
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
    await ask(client, id, '{{think hm}}{{say # Head\n\ntext [link](https://example.com) `x`}}');
    await ask(client, id, call('Look', { label: 'x' }));
    const { requestId } = (await client.listRequests({ id })).data[0]!;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (colorScheme === 'dark') await page.setViewportSize({ width: 390, height: 800 });
    const views = ['/', '/try', `/sessions/${id}`, ...[...SESSION_VIEWS, `requests/${requestId}?block=0.0.0`].map((view) => `/sessions/${id}/${view}`)];
    const tenant = ['/tenant', ...TENANT_VIEWS.map((view) => `/tenant/${view}`)];
    for (const view of [...views, ...tenant]) {
      await visit(page, view);
      // What dark changes is colours.
      expect([view, await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)]).toEqual([view, []]);
      if (colorScheme === 'dark') expect([view, await page.evaluate<readonly string[]>(BEYOND_THE_SCREEN)]).toEqual([view, []]);
      else await pictures(page, view.replace(id, 'id').replace(requestId, 'id').replaceAll(/\W+/g, '-').replace(/^-/, '') || 'list');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});
