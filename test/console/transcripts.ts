import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { type Console, becomes } from './support/console.js';
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
    await page.getByRole('button', { name: '↓ Newest' }).click();
    await page.getByRole('heading', { name: 'Answer 9999' }).waitFor();
  });
}
