import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '@verbatim/client';
import { Chromium } from '../support/chromium.js';
import { CHROMIUM, describeWith } from '../support/needs.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';
import { until } from '../support/until.js';

const ROOT = new URL('../../../', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/** The page and the client that it imports, on their own origin. */
async function servePage(): Promise<Server> {
  const pages = createServer((request, response) => {
    const path = request.url === '/' ? 'examples/chat-page/index.html' : `clients/typescript/dist/${request.url!.replace(/^\/client\//, '')}`;
    readFile(new URL(path, ROOT)).then(
      (bytes) => response.setHeader('content-type', TYPES[path.split('.').at(-1)!] ?? 'text/plain').end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  return pages;
}

describeWith(CHROMIUM)('the chat page of examples, on another origin', () => {
  let pages: Server;
  let api: StandIn;
  let server: ToolServer;
  let page: Chromium;
  let client: Client;
  let origin: string;

  beforeAll(async () => {
    pages = await servePage();
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    api = await startStandIn();
    server = await startToolServer({ CORS_ORIGINS: origin, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url });
    client = createClient({ baseUrl: server.client.baseUrl, token: server.client.token! });
    page = await Chromium.start();
  });
  afterAll(async () => {
    await page.stop();
    pages.closeAllConnections();
    await new Promise((closed) => pages.close(closed));
    await server.stop();
    await api.close();
  });

  const text = JSON.stringify;
  const byLabel = (label: string) => `[...document.querySelectorAll('button')].findLast((one) => one.textContent.startsWith(${text(label)}))`;
  const click = (label: string): Promise<void> => page.click(byLabel(label));
  const send = (input: string): Promise<void> =>
    page.value(`document.querySelector('textarea').value = ${text(input)}, document.querySelector('form').requestSubmit(), undefined`);
  const rows = (type: string) => `[...document.querySelectorAll('article.${type}')].map((row) => row.firstChild?.textContent ?? '')`;
  const sessionId = async (): Promise<string> => new URLSearchParams((await page.value<string>('location.hash')).slice(1)).get('session')!;
  /** Opens the page with a new session. */
  const fresh = async (): Promise<string> => {
    await page.open('about:blank');
    await page.open(`${origin}/#${new URLSearchParams({ api: server.client.baseUrl, token: server.client.token! }).toString()}`);
    await page.until(`location.hash.includes('session=') && document.getElementById('draft').hidden === false`);
    return sessionId();
  };

  it('has fewer than 60 lines', async () => {
    const source = await readFile(new URL('examples/chat-page/index.html', ROOT), 'utf8');
    expect(source.trimEnd().split('\n').length).toBeLessThan(60);
  });

  it('shows an answer while it streams, and all of it after a reload in between', async () => {
    const id = await fresh();
    const written = held(20);
    api.next(written.fault);
    await send('{{long 300}}');
    await page.until(`document.getElementById('draft').textContent.length > 20`);
    expect(await page.value(rows('assistant'))).toEqual([]);
    await page.reload();
    await page.until(`${rows('user')}.length === 1 && document.getElementById('draft').hidden === false`);
    expect(await page.value(rows('assistant'))).toEqual([]);
    written.release();
    await page.until(`${rows('assistant')}.length === 1`);
    expect(await sessionId()).toBe(id);
    const { data } = await client.listMessages({ id });
    const answer = data.flatMap((message) => (message.type === 'assistant' ? message.message.content : []))[0];
    expect(answer?.type === 'text' && (await page.value(rows('assistant')))).toEqual([answer?.type === 'text' && answer.text]);
    expect(await page.value(rows('user'))).toEqual(['{{long 300}}']);
    await page.until(`document.getElementById('draft').textContent === ''`);
  });

  it('stops an answer, and keeps what was written of it', async () => {
    await fresh();
    await send('{{slow 100}}{{long 5000}}');
    await page.until(`document.getElementById('draft').textContent.length > 20`);
    await click('Stop');
    await page.until(`${rows('user')}.includes('[Request interrupted by user]')`);
    expect((await page.value<string[]>(rows('assistant')))[0]).toMatch(/\w+/);
  });

  it('asks for approvals, also after a reload', async () => {
    const id = await fresh();
    await send(call('Work', { label: 'one' }));
    await page.until(byLabel('allow Work'));
    await page.reload();
    await click('allow Work');
    await page.until(`${rows('assistant')}.length === 2`);
    expect(server.tools.runs).toHaveLength(1);
    await send(call('Work', { label: 'two' }));
    await click('reject Work');
    await page.until(`!(${byLabel('reject Work')})`);
    await until('the turn has ended', async () => (await client.getSession({ id })).status === 'idle');
    expect(server.tools.runs).toHaveLength(1);
  });

  it('sends and shows images', async () => {
    await fresh();
    await page.value(`(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 6 });
      canvas.getContext('2d').fillRect(0, 0, 4, 4);
      const files = new DataTransfer();
      files.items.add(new File([await new Promise((done) => canvas.toBlob(done))], 'one.png', { type: 'image/png' }));
      document.querySelector('[type=file]').files = files.files;
    })()`);
    await send('What is this?');
    await page.until(`document.querySelector('article.user img')?.naturalWidth === 8`);
    await page.until(`${rows('assistant')}.length === 1`);
    // An edit changes the text only.
    await click('Edit');
    await page.until(`document.querySelector('textarea').value === 'What is this?'`);
    await page.value(`document.querySelector('[type=file]').value = '', undefined`);
    await send('What is that?');
    await page.until(`[...document.querySelectorAll('article.user')].some((row) => row.textContent.includes('What is that?'))`);
    await page.until(`document.querySelector('article.user img')?.naturalWidth === 8`);
    await page.until(`${rows('assistant')}.length === 1`);
  });

  it('edits a prompt and regenerates the answer', async () => {
    const id = await fresh();
    await send('first wording');
    await page.until(`${rows('assistant')}.length === 1`);
    await click('Edit');
    await page.until(`document.querySelector('textarea').value === 'first wording'`);
    await send('second wording');
    await page.until(`${rows('user')}.includes('second wording') && ${rows('assistant')}.length === 1`);
    expect(await page.value(rows('user'))).toEqual(['second wording']);
    const [, before] = (await client.listMessages({ id })).data;
    await page.until(`document.getElementById('draft').textContent === ''`);
    await click('Regenerate');
    const branches = async () => (await client.listBranches({ id })).data.length;
    while ((await branches()) < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await page.until(`${rows('assistant')}.length === 1`);
    expect((await client.listMessages({ id })).data.some(({ uuid }) => uuid === before!.uuid)).toBe(false);
    expect(await page.value(rows('user'))).toEqual(['second wording']);
  });

  it('finds a conversation by a word in it, and opens it', async () => {
    const id = await fresh();
    await send('{{say The quokka smiles}}');
    await page.until(`${rows('assistant')}.length === 1`);
    expect(await fresh()).not.toBe(id);
    await page.value(`document.getElementById('search').value = 'quokka', document.getElementById('search').dispatchEvent(new Event('input')), undefined`);
    await page.until(`document.querySelectorAll('li').length > 0 && [...document.querySelectorAll('li')].every((one) => one.textContent.includes('quokka'))`);
    await page.value(`document.querySelector('li button').click()`);
    await page.until(`${rows('assistant')}.length === 1`);
    expect(await sessionId()).toBe(id);
    expect(await page.value(rows('assistant'))).toEqual(['The quokka smiles']);
  });

  it('holds no connection after it has been left, and follows the conversation again when the browser goes back to it', async () => {
    const id = await fresh();
    const streams = async () => /^verbatim_event_streams(?:\{[^}]*\})? (\d+)/m.exec(await (await fetch(`${server.client.baseUrl}/metrics`)).text())?.[1];
    await page.open('about:blank');
    await until('the streams of all pages have ended', async () => (await streams()) === '0');
    await page.value('setTimeout(() => history.back()), undefined'); // not while the page answers
    await page.until(`location.hash.includes(${text(id)}) && document.getElementById('draft').hidden === false`);
    await send('still here');
    await page.until(`${rows('assistant')}.length === 1`);
  });

  it('shows why the server rejects a request', async () => {
    await fresh();
    await send('');
    await page.until(`document.getElementById('notice').value !== ''`);
    expect(await page.value(`document.getElementById('notice').value`)).toContain('empty');
  });
});
