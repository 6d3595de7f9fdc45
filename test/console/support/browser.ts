import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { CHROMIUM_FILE } from '../../support/programs.js';

/** A headless Chromium. Every page notes what must never happen on it. */
export class TestBrowser {
  /** Errors in the console, faults of scripts, dialogs, and requests to other hosts than the server's. */
  readonly faults: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
    return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM_FILE!, args }));
  }

  /** Its own page profile, with the clipboard. */
  async page(origin: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000); // a limit for what never comes
    page.on('console', (message) => {
      // What the browser itself says about a server that was killed, or about an error response, is tested by what the page says.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(String(error.stack)));
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      // The viewer of PDFs is a page of the browser itself.
      if (url.origin !== origin && !/^(?:blob|chrome|chrome-extension):$/.test(url.protocol)) this.faults.push(`request to ${request.url()}`);
    });
    return page;
  }

  async stop(): Promise<void> {
    await this.browser.close();
  }
}

/** Signs in with a token, and waits for the list of conversations. */
export async function signIn(page: Page, origin: string, token: string, path = ''): Promise<void> {
  await page.goto(`${origin}/console${path}`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Tenant' }).waitFor();
}

/** Goes to another view as a link does. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)}), dispatchEvent(new PopStateEvent('popstate')), undefined`);
}

/** Compiled, this file lies in dist/test/console/support. */
const FOLDER = fileURLToPath(new URL('../../../pictures/', import.meta.url));

/** A picture for the documentation, small: dist/pictures/NAME, to be copied to docs when the page has changed. */
export async function picture(page: Page, name: string): Promise<void> {
  const pixels = await page.screenshot();
  const file = path.join(FOLDER, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, await sharp(pixels).png({ palette: true, colours: 64, compressionLevel: 9 }).toBuffer());
}

/** With PICTURES=1, the page in both themes and at the width of a phone: dist/pictures/THEME-SIZE/NAME.png, to be looked at. Restores light and the size of a desktop. */
export async function pictures(page: Page, name: string): Promise<void> {
  if (process.env['PICTURES'] !== '1') return;
  for (const [size, width] of [
    ['phone', 390],
    ['desktop', 1280],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await picture(page, `${colorScheme}-${size}/${name}.png`);
    }
  }
}
