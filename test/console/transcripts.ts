import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type Console, becomes, pageOf } from './support/console.js';
import { visit } from './support/browser.js';
import { hostileTranscript, longTranscript } from './support/transcripts.js';

/** Imported transcripts: hostile ones, and long ones. */
export function transcriptTests(at: () => Console): void {
  it('shows a hostile transcript as text', async () => {
    const { client, page } = at();
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

  it('shows the newest of 10,000 messages at once, lays out only those in view, and leaves no blank row when scrolled', async () => {
    const { client, page } = at();
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
      await becomes(
        page,
        `(() => {
        const box = document.querySelector('[role=log]').getBoundingClientRect();
        return [0.2, 0.5, 0.8].every((part) => document.elementFromPoint(box.left + box.width / 2, box.top + box.height * part)?.closest('.row') != null);
      })()`,
      );
    }
    // Earlier messages are put before those in view while they arrive: the top is scrolled to until it is the first one.
    await until('the first message is in view', async () => {
      await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
      return page.getByText('Question 0', { exact: true }).isVisible();
    });
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByRole('heading', { name: 'Answer 9999' }).waitFor();
  });

  it('prints the whole conversation, without what is for the screen', async () => {
    const { client, server } = at();
    const { id } = await client.importSession({ body: longTranscript(120) });
    const page = await pageOf(at(), server.client.token!, `/sessions/${id}`);
    await page.getByRole('heading', { name: 'Answer 119' }).waitFor();
    const rows = () => page.locator('article').count();
    expect(await rows()).toBeLessThan(120);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint')), undefined`);
    expect(await rows()).toBe(120);
    for (const hidden of ['.top', '.list', '.tabs', '.composer']) expect([hidden, await page.locator(hidden).first().isVisible()]).toEqual([hidden, false]);
    expect(await page.evaluate(`document.body.clientHeight > 10_000 && document.body.clientHeight === document.body.scrollHeight`)).toBe(true);
    await page.emulateMedia({ media: null });
    await page.evaluate(`dispatchEvent(new Event('afterprint')), undefined`);
    await becomes(page, `document.querySelectorAll('article').length < 120`);
    await page.context().close();
  });
}
