import { expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import type { Page } from 'playwright-core';
import { type Console, ask, becomes } from './support/console.js';
import { visit } from './support/browser.js';
import { sizedTranscript } from './support/transcripts.js';

type Answer = { readonly [member: string]: unknown };

/** Answers of the server as `change` makes them: as those of a newer one. */
async function answering(page: Page, path: string | RegExp, change: (answer: Answer) => unknown): Promise<void> {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });
}

/** What the page does not know, and what is larger than anything that people write. */
export function unknownTests(at: () => Console): void {
  it('shows kinds of messages, blocks and events raw that it does not know', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'From the future' } });
    await ask(client, id, 'one {{say two}}');
    const { requestId } = (await client.listRequests({ id })).data[0]!;
    const odd = { uuid: '00000000-0000-4000-8000-000000000001', parentUuid: null, timestamp: '2030-01-01T00:00:00.000Z' };
    const block = { type: 'hologram', beams: ['red'] };
    await answering(page, new RegExp(`/sessions/${id}/messages\\?.*newest`), ({ data, ...rest }: Answer) => ({
      ...rest,
      data: [
        { ...odd, type: 'dream', depth: 3 },
        { ...odd, uuid: `${odd.uuid}b`, type: 'user', content: { shape: 'sphere' } },
        { ...odd, uuid: `${odd.uuid}c`, type: 'assistant', message: { model: 'm', content: [block, { type: 'text' }, { type: 'tool_use', id: 't' }] } },
        { ...odd, uuid: `${odd.uuid}d`, type: 'system', level: 'loud' },
        { ...odd, uuid: `${odd.uuid}e`, type: 'attachment' },
        ...(data as readonly object[]),
      ],
    }));
    await visit(page, `/sessions/${id}`);
    for (const name of ['dream', 'user', 'hologram', 'text', 'tool use', 'system', 'attachment']) {
      await page.getByRole('log').getByText(name, { exact: true }).click();
    }
    await page.getByText('"beams"').waitFor();
    await page.getByText('"sphere"').waitFor();
    await page.locator('article.answer').getByText('two').waitFor();

    await answering(page, `**/sessions/${id}/requests/${requestId}`, ({ original, payload, trace, prefix, ...rest }: Answer) => ({
      ...(rest as object),
      original: [...(original as readonly object[]), { ...odd, type: 'dream', depth: 3 }],
      payload: { ...(payload as object), messages: [...(payload as { messages: [] }).messages, { role: 'user', content: [block] }] },
      trace: [...(trace as readonly object[]), { source: { uuid: odd.uuid, index: 0 }, action: 'folded', pass: 'fold', reason: 'it was large', target: null }],
      prefix: { ...(prefix as object), cause: 'eclipse', shared: 0 },
    }));
    await visit(page, `/sessions/${id}/requests/${requestId}`);
    await page.getByText('hologram', { exact: true }).waitFor();
    await page.getByText('it was large').waitFor();
    await page.getByRole('button', { name: 'folded 1' }).click();
    const row = page.locator('.block-row', { hasText: 'depth: 3' });
    await row.locator('.block-head').first().click();
    await page.getByText('"depth": 3').first().waitFor();

    await answering(page, `**/sessions/${id}/events*`, ({ data, ...rest }: Answer) => {
      const events = data as readonly { readonly data: object }[];
      return {
        ...rest,
        data: [{ ...events.at(-1), type: 'tide.turned', data: { height: 4 } }, ...events, { ...events.at(-1), type: 'turn.dreamt', data: {} }],
      };
    });
    await visit(page, `/sessions/${id}/timeline`);
    await page.getByText(/model \d+.*%/).waitFor();
    await page.getByText('turn.dreamt', { exact: true }).waitFor();

    await answering(page, `**/sessions/${id}/accesses*`, () => ({
      data: [{ reader: 'comet:x', via: 'telepathy', at: odd.timestamp }],
      brokenGlass: [],
      nextCursor: null,
    }));
    await visit(page, `/sessions/${id}/audit`);
    await page.getByText('telepathy').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('shows lines of a megabyte and ten thousand tool calls as text, laying out only what is in view', async () => {
    const { client, page } = at();
    const { id } = await client.importSession({ body: sizedTranscript({ calls: 10_000, characters: 1_000_000 }) });
    await visit(page, `/sessions/${id}`);
    await page.getByRole('log').getByText('the end of it').waitFor();
    const laidOut = (): Promise<number> => page.evaluate(`document.querySelectorAll('[role=log] *').length`);
    expect(await laidOut()).toBeLessThan(3_000);
    await page.evaluate(`document.querySelector('[role=log]').scrollTop = document.querySelector('[role=log]').scrollHeight / 2`);
    // Rows that are laid out for the first time move those after them: a call is opened in the middle of the view, once nothing moves any more.
    const height = (): Promise<number> =>
      page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.querySelector('[role=log]').scrollHeight))))`);
    await until('the rows in view are laid out', async () => (await height()) === (await height()));
    const inView = await page.evaluate<number>(`(() => {
      const box = document.querySelector('[role=log]').getBoundingClientRect();
      return [...document.querySelectorAll('[role=log] .tool-head')].findIndex((head) => head.getBoundingClientRect().top > box.top + box.height / 3);
    })()`);
    await page.locator('[role=log] .tool-head').nth(inView).click();
    await page.getByRole('log').getByText('"html"').first().waitFor();
    expect(await laidOut()).toBeLessThan(3_000);
    // Rows that are laid out above those in view move them: the top is scrolled to until it is the first row.
    const first = page.locator('[role=log] [data-index="0"]');
    await until('the first row is laid out', async () => {
      await page.evaluate(`document.querySelector('[role=log]').scrollTop = 0`);
      return first.isVisible();
    });
    await first.getByRole('button', { name: /^Show more/ }).click();
    await becomes(page, `document.querySelector('[role=log] [data-index="0"] .plain').textContent.length > 100_000`);
    expect(await page.locator('#main img, #main iframe, #main script').count()).toBe(0);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });
}
