import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { pdfFile } from '../support/api-rules/pdf-file.js';
import { visit } from './support/browser.js';
import { ask, becomes, type Console, expectAccessibleEverywhere, opened } from './support/console.js';
import { Lines } from './support/transcripts.js';

/** Keeps the addresses that the page has given up. */
const WATCH = `(() => {
  globalThis.revoked = [];
  const revoke = URL.revokeObjectURL;
  URL.revokeObjectURL = (url) => { revoked.push(url); revoke(url); };
})()`;

/** PDFs in a conversation. */
export function pdfTests(at: () => Console): void {
  it('shows a PDF in the viewer of the browser, and only bytes that begin as one', async () => {
    const { client, page, browser, server, origin } = at();
    const id = await opened(at(), 'With a PDF');
    const data = Buffer.from(pdfFile({ pages: 2 }), 'latin1').toString('base64');
    const document = { type: 'document' as const, title: 'A plan', source: { type: 'base64' as const, media_type: 'application/pdf' as const, data } };
    await ask(client, id, [document, { type: 'text', text: 'What is planned? {{say A lot.}}' }]);
    const card = page.getByRole('group', { name: 'PDF A plan' });
    await card.getByText(/^PDF, .*, 2 pages$/).waitFor();
    await expectAccessibleEverywhere(page);
    const coming = page.waitForEvent('download');
    await card.getByRole('link', { name: 'Download' }).click();
    expect((await coming).suggestedFilename()).toMatch(/^A plan/);

    await page.evaluate(WATCH);
    await card.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog', { name: 'A plan' });
    await dialog.locator('iframe').waitFor();
    const address = (await dialog.locator('iframe').getAttribute('src'))!;
    expect(address).toMatch(/^blob:/);
    const isViewed = (): boolean => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'));
    for (let left = 600; !isViewed() && left > 0; left -= 1) await page.waitForTimeout(100);
    expect(isViewed()).toBe(true);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    // Its address is gone with it.
    await becomes(page, `revoked.includes(${JSON.stringify(address)})`);
    expect(page.frames()).toHaveLength(1);

    // Bytes of a page, whatever their type says.
    await page.route('**/blobs/*', (route) => route.fulfill({ contentType: 'application/pdf', body: '<script>alert(1)</script>' }));
    await card.getByRole('button', { name: 'Show' }).click();
    await dialog.getByRole('alert').getByText('does not begin as one').waitFor();
    expect(await dialog.locator('iframe').count()).toBe(0);
    await expectAccessibleEverywhere(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.unroute('**/blobs/*');

    // A browser without a viewer.
    const other = await browser.page(origin);
    await other.addInitScript(`Object.defineProperty(navigator, 'pdfViewerEnabled', { get: () => false })`);
    await other.goto(`${origin}/console/sessions/${id}`);
    await other.getByLabel('Token').fill(server.client.token!);
    await other.getByRole('button', { name: 'Sign in' }).click();
    const offered = other.getByRole('group', { name: 'PDF A plan' });
    await offered.getByRole('link', { name: 'Download' }).waitFor();
    expect(await offered.getByRole('button', { name: 'Show' }).count()).toBe(0);
    await other.context().close();
  });

  it('shows a PDF whose bytes are in an imported message, and data that is no file as it is stored', async () => {
    const { client, page } = at();
    const data = Buffer.from(pdfFile({ pages: 1 }), 'latin1').toString('base64');
    const document = (title: string, of: string) => ({ type: 'document', title, source: { type: 'base64', media_type: 'application/pdf', data: of } });
    const lines = new Lines('With PDFs in it').user([document('Imported', data), document('No file', '%%%'), { type: 'text', text: 'Read them.' }]);
    const { id } = await client.importSession({ body: lines.toString() });
    await visit(page, `/sessions/${id}`);
    const card = page.getByRole('group', { name: 'PDF Imported' });
    await card.getByText(/^PDF, /).waitFor();
    const coming = page.waitForEvent('download');
    await card.getByRole('link', { name: 'Download' }).click();
    expect(await readFile((await (await coming).path())!, 'base64')).toBe(data);
    await card.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog', { name: 'Imported' });
    await dialog.locator('iframe').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.locator('details', { hasText: 'document' }).first().waitFor();
    expect(await page.getByRole('group', { name: 'PDF No file' }).count()).toBe(0);
  });
}
