import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../support/chromium.js';
import { expectStatus, type UnknownObject } from '../support/client.js';
import { CHROMIUM, describeWith } from '../support/needs.js';
import { call, startToolServer, type ToolServer } from '../support/tool-server.js';

const EXAMPLE = new URL('../../../examples/use-chat/', import.meta.url);

/** The example, built, on its own origin. */
async function serveExample(): Promise<Server> {
  const built = await build({
    entryPoints: [fileURLToPath(new URL('app.tsx', EXAMPLE))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const page = await readFile(new URL('index.html', EXAMPLE));
  const pages = createServer((request, response) => {
    if (request.url === '/app.js') response.setHeader('content-type', 'text/javascript').end(built.outputFiles[0]!.contents);
    else response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  return pages;
}

describeWith(CHROMIUM)('the example for useChat, in a browser on another origin', () => {
  let pages: Server;
  let server: ToolServer;
  let page: Chromium;
  let origin: string;
  let chats = 0;

  beforeAll(async () => {
    pages = await serveExample();
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    server = await startToolServer({ CORS_ORIGINS: origin });
    page = await Chromium.start();
  });
  afterAll(async () => {
    await page.stop();
    pages.closeAllConnections();
    await new Promise((closed) => pages.close(closed));
    await server.stop();
  });

  const button = (label: string) => `[...document.querySelectorAll('button')].find((one) => one.textContent === ${JSON.stringify(label)})`;
  const click = (label: string): Promise<void> => page.click(button(label));
  const shown = (role: string) => `([...document.querySelectorAll('article.${role}')].at(-1)?.textContent ?? '')`;
  const isReady = `document.querySelector('output')?.textContent === 'ready'`;
  const send = async (text: string): Promise<void> => {
    await page.until(isReady);
    await page.value(`document.querySelector('textarea').value = ${JSON.stringify(text)}, document.querySelector('form').requestSubmit(), undefined`);
  };
  const fresh = async (): Promise<string> => {
    chats += 1;
    await page.open('about:blank');
    await page.open(`${origin}/#${new URLSearchParams({ api: server.client.baseUrl, token: server.client.token!, chat: `chat ${chats}` }).toString()}`);
    return `chat ${chats}`;
  };
  const history = async (chat: string): Promise<UnknownObject> => expectStatus(await server.client.get(`/v1/ui/chat/${encodeURIComponent(chat)}`), 200).body;

  it('has fewer than 80 lines', async () => {
    const source = await readFile(new URL('app.tsx', EXAMPLE), 'utf8');
    expect(source.trimEnd().split('\n').length).toBeLessThan(80);
  });

  it('shows an answer, also after a reload in the middle of it', async () => {
    const chat = await fresh();
    await send('{{slow 20}}{{long 100}}');
    await page.until(`${shown('assistant')}.length > 20`);
    await page.reload();
    await page.until(`document.querySelectorAll('article.user').length === 1`);
    await page.until(`${isReady} && ${shown('assistant')}.length > 20`);
    const { messages } = await history(chat);
    expect(await page.value(shown('assistant'))).toBe(messages[1].parts.map(({ text = '' }: UnknownObject) => text).join(''));
  });

  it('stops and regenerates answers, and asks for approvals', async () => {
    const chat = await fresh();
    await send('{{slow 100}}{{long 5000}}');
    await page.until(`${shown('assistant')}.length > 20`);
    await click('Stop');
    await page.until(isReady);
    const { sessionId } = await history(chat);
    expect((await server.client.events(sessionId)).map(({ type }) => type)).toContain('turn.interrupted');
    await send('{{say again}}');
    await page.until(`${isReady} && ${shown('assistant')} === 'again'`);
    await click('Regenerate');
    await page.until(`${isReady} && ${shown('assistant')} === 'again'`);
    await send(call('Work', { label: 'one' }));
    await click('Allow');
    await page.until(`document.querySelector('.tool.output-available')`);
    expect(server.tools.runs).toHaveLength(1);
    expect(await page.value(`document.querySelector('[role=alert]')?.textContent ?? null`)).toBe(null);
  });
});
