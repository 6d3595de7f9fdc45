import { expect, it } from '@jest/globals';
import { call } from '../support/tool-server.js';
import { type Console, ask, becomes, expectAccessibleEverywhere, opened } from './support/console.js';
import { visit } from './support/browser.js';
import { Lines } from './support/transcripts.js';

/** Formulas and footnotes of answers, rules for later calls, and the groups of the list. */
export function markupTests(at: () => Console): void {
  const shown = async (text: string, end: string): Promise<void> => {
    const { client, page } = at();
    const body = new Lines('Markup')
      .user('please')
      .assistant([{ type: 'text', text: `${text}\n\n${end}` }])
      .toString();
    const { id } = await client.importSession({ body });
    await visit(page, `/sessions/${id}`);
    await page.getByRole('log').getByText(end).waitFor();
  };

  it('lays out formulas, and leads from the mark of a footnote to what it says', async () => {
    const { page } = at();
    const text =
      'Inline $e^{i\\pi}+1=0$ and \\(x_1\\), a price of $5 or $6, and $HOME/$USER.\n\n$$\n\\frac{a}{b}\n$$\n\nA claim[^why], and a class [^a-z].\n\n[^why]: Because *so*.';
    await shown(text, 'the end of the formulas');
    await page.locator('mfrac').waitFor();
    await becomes(page, `[...document.fonts].some(({ family, status }) => family.includes('STIX Two Math') && status === 'loaded')`);
    expect(await page.locator('math').count()).toBe(3);
    await page.getByRole('log').getByText('a price of $5 or $6, and $HOME/$USER.').waitFor();
    await page.getByRole('log').getByText('a class [^a-z].').waitFor();
    await page.getByRole('button', { name: 'Footnote why' }).press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('why Because so.');
    await expectAccessibleEverywhere(page);
  });

  it('shows formulas as they were written that cannot be read, are too large, or hide text', async () => {
    const { page } = at();
    const text = [
      '$\\frac{a$',
      '$$\\def\\a{xxxxxxxxxx}\\def\\b{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b\\b\\b\\b\\b\\b\\b}\\c\\c\\c\\c\\c\\c\\c\\c\\c\\c$$',
      '$\\href{javascript:globalThis.pwned=5}{x}$ $\\includegraphics{https://evil.example/a.png}$ $a\u202Eb$',
      `${'$$'.repeat(3_000)}${'\\['.repeat(3_000)}`,
    ].join('\n\n');
    await shown(text, 'the end of the odd ones');
    await page.getByText('$\\frac{a$', { exact: true }).waitFor();
    await page.getByText('a⟦U+202E⟧b').waitFor();
    await page.getByTitle('This formula cannot be read.').first().waitFor();
    expect(await page.locator('#main article a, #main article img').count()).toBe(0);
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  });

  it('shows pictures whose bytes are in the message, and data that is no picture as JSON', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Bytes' } });
    await ask(client, id, 'one {{say two}}');
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
    await page.route(new RegExp(`/sessions/${id}/messages\\?.*newest`), async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { readonly data: readonly { readonly type: string }[] };
      const changed = data.map((one) => (one.type === 'user' ? { ...one, content: [image(pixel), image('bm90IG9uZQ=='), image('%')] } : one));
      await route.fulfill({ response, json: { ...rest, data: changed } });
    });
    await visit(page, `/sessions/${id}`);
    await becomes(page, `document.querySelector('article.prompt img')?.naturalWidth === 1`);
    await page.locator('article.prompt').getByText('image', { exact: true }).nth(1).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('stores a rule that was shown, after which such calls are not asked about', async () => {
    const { page, client, server } = at();
    const id = await opened(at(), 'A rule');
    await client.submitPrompt({ id, body: { input: call('Work', { label: 'first' }) } });
    await page.getByRole('button', { name: 'Always allow…' }).click();
    await page.getByRole('radio', { name: 'Another rule' }).check();
    const rule = page.getByRole('textbox', { name: 'Rule' });
    expect(await rule.inputValue()).toBe('Work');
    expect((await client.getSession({ id })).permissions.allow ?? []).toEqual([]);
    await expectAccessibleEverywhere(page);
    await page.getByRole('button', { name: 'Always allow and approve' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect((await client.getSession({ id })).permissions.allow).toEqual(['Work']);
    await ask(client, id, call('Work', { label: 'second' }));
    await page.getByText('done', { exact: true }).nth(1).waitFor();
    expect(server.tools.runs.slice(-2).map(({ input }) => input)).toEqual([{ label: 'first' }, { label: 'second' }]);
  });

  it('lists what needs the user first, and the rest by day', async () => {
    const { page, client } = at();
    const { id } = await client.createSession({ body: { title: 'Waits for me' } });
    await ask(client, id, call('Work', { label: 'wait' }));
    await client.createSession({ body: { title: 'Newer, and idle' } });
    await visit(page, '/');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.getByRole('link', { name: 'Newer, and idle' }).waitFor();
    const listed = await page.locator('.list-scroll li').allInnerTexts();
    const place = (text: string): number => listed.findIndex((one) => one.includes(text));
    expect(place('Needs you')).toBe(0);
    expect(place('Waits for me')).toBeLessThan(place('Today'));
    expect(place('Today')).toBeLessThan(place('Newer, and idle'));
    await page.locator('#main').focus();
    await page.keyboard.press('j');
    await page.locator('.list-scroll li[data-index="1"] a:focus').waitFor();
    await client.interruptTurn({ id });
  });
}
