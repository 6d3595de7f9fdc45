import { expect, it } from '@jest/globals';
import { type Console, expectAccessibleEverywhere } from './support/console.js';
import { signIn, visit } from './support/browser.js';

/** The dry run: pasted messages, requests, session files and errors. */
export function payloadTests(at: () => Console): void {
  const field = () => at().page.getByLabel('Messages, a request, or a session file');
  const part = (name: string) => at().page.getByRole('region', { name, exact: true });
  const attempt = async (text: string): Promise<void> => {
    const { page } = at();
    await visit(page, '/');
    await visit(page, '/try');
    await field().fill(text);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
  };
  const copied = async (): Promise<Record<string, unknown>> => {
    const { page } = at();
    await page.getByRole('button', { name: 'Copy the repaired request' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
  };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  const request = {
    model: 'claude-opus-4-6',
    max_tokens: 100,
    temperature: 0.5,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Look there' },
      { role: 'assistant', content: [{ type: 'text', text: ' ' }, call] },
      { role: 'user', content: 'And now?' },
    ],
  };

  it('says of a request why the model API refuses it, what is changed by which pass, and copies it repaired', async () => {
    const { page } = at();
    await visit(page, '/');
    await page.locator('body').press('p');
    await field().fill(JSON.stringify(request));
    await page
      .getByLabel('The error, if there is one')
      .fill(
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: text content blocks must contain non-whitespace text"}}',
      );
    await page.keyboard.press('Control+Enter');
    await page.getByText('The model API would refuse it as it was given; repaired, it would be accepted.').waitFor();
    await part('As it was given').getByText('refused').waitFor();
    await part('As it was given').getByText('toolu_1').first().waitFor();
    await part('Repaired').getByText('accepted', { exact: true }).waitFor();
    await part('Changes by pass').getByText('pair-tool-results').first().waitFor();
    await part('The error').getByText('text content blocks must contain non-whitespace text').waitFor();
    await part('The error').getByText('not sent').waitFor();
    await expectAccessibleEverywhere(page);
    await part('The error').getByRole('button', { name: 'Show' }).click();
    await page.locator('.block-row.dropped.open').waitFor();
    const repaired = await copied();
    const { messages, ...rest } = request;
    expect(repaired).toMatchObject(rest);
    expect((repaired['messages'] as typeof messages).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(JSON.stringify(repaired['messages'])).toContain('"tool_use_id":"toolu_1"');
  });

  it('normalizes messages for the model that is chosen', async () => {
    const { page } = at();
    await visit(page, '/try');
    await field().fill(JSON.stringify([{ role: 'user', content: 'p' }]));
    await page.getByLabel('Model').fill('claude-haiku-4-5');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('Sent to claude-haiku-4-5').waitFor();
    await part('Changes by pass').getByText('everything is sent as it was given').waitFor();
    expect(await copied()).toMatchObject({ model: 'claude-haiku-4-5', messages: [{ role: 'user' }] });
  });

  it('reads the current branch of a session file, and names the lines that it leaves out', async () => {
    const { page } = at();
    const line = (uuid: string, parentUuid: string | null, type: 'user' | 'assistant', content: unknown): string =>
      JSON.stringify({
        uuid,
        parentUuid,
        type,
        sessionId: 's',
        timestamp: '2026-01-01T00:00:00.000Z',
        message: { role: type, content, id: 'msg_1', model: 'm' },
      });
    const ids = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`);
    const lines = [
      line(ids[0]!, null, 'user', 'The first question'),
      '{"type": broken',
      line(ids[1]!, ids[0]!, 'assistant', [{ type: 'text', text: 'The only answer' }]),
      line(ids[2]!, ids[1]!, 'user', 'The last question'),
    ];
    await attempt(lines.join('\n'));
    await page.locator('.block-row').getByText('The only answer').first().waitFor();
    await page.getByText('read in another form, or left out').click();
    await page.getByText('is left out: not JSON').waitFor();
    await page.getByText('line 2', { exact: true }).waitFor();
    expect((await copied())['messages']).toHaveLength(3);
  });

  it.each([
    ['an empty text', '', 'is empty'],
    ['half of a request', '{"messages": [', 'is not JSON'],
    ['a text', '"hello"', 'is neither a list of messages'],
    ['a request without messages', '{"model": "claude-opus-5"}', 'has no `messages`'],
    ['messages that are no list', '{"messages": 7}', '/messages'],
    ['a tool that is no object', '{"messages": [], "tools": [7]}', '/tools/0'],
    ['a message that is no object', '[7]', '/messages/0'],
    ['content that is none', '[{"role": "user", "content": 7}]', '/messages/0/content'],
    ['100,000 brackets', '['.repeat(100_000), 'is not JSON'],
  ])('says what is wrong with %s, and where', async (_, text, told) => {
    const { page } = at();
    await attempt(text);
    await page.getByRole('alert').getByText(told).first().waitFor();
    await field().waitFor();
  });

  it('keeps what is to be tried in the tab, says when it is too large for that, and forgets it at the sign-out', async () => {
    const { browser, origin } = at();
    const { token } = await at().client.createToken({ body: { userName: 'tries something' } });
    const page = await browser.page(origin);
    await signIn(page, origin, token);
    await visit(page, '/try');
    const text = page.getByLabel('Messages, a request, or a session file');
    const error = page.getByLabel('The error, if there is one');
    const stored = () => page.evaluate<string>(`JSON.stringify(Object.values(sessionStorage))`);
    await text.fill('[{"role": "user", "content": "kept for the tab"}]');
    await error.fill('400 messages.0: kept, too');
    await page.getByLabel('Model').fill('claude-haiku-4-5');
    await page.reload();
    await text.waitFor();
    expect(await text.inputValue()).toContain('kept for the tab');
    expect(await error.inputValue()).toBe('400 messages.0: kept, too');
    expect(await page.getByLabel('Model').inputValue()).toBe('claude-haiku-4-5');
    await visit(page, '/');
    await visit(page, '/try');
    expect(await text.inputValue()).toContain('kept for the tab');
    await expectAccessibleEverywhere(page);

    const open = (characters: number) =>
      page.locator('input[type=file]').setInputFiles({
        ...{ name: 'large.json', mimeType: 'application/json' },
        buffer: Buffer.from(JSON.stringify([{ role: 'user', content: 'x'.repeat(characters) }])),
      });
    await open(500_000);
    await page.getByText('large.json, 488.3 KiB').waitFor();
    await page.reload();
    await page.getByText('large.json, 488.3 KiB').waitFor();
    await open(1_000_000);
    await page.getByRole('status').getByText('This is larger than what the tab keeps').waitFor();
    expect(await stored()).not.toContain('xxx');
    await page.reload();
    await text.waitFor();
    expect(await text.inputValue()).toBe('');

    await text.fill('a secret of the customer');
    expect(await stored()).toContain('a secret of the customer');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await stored()).toBe('[]');
    await signIn(page, origin, token);
    await visit(page, '/try');
    expect(await text.inputValue()).toBe('');
    await page.close();
  });

  it('reads a file that is opened, and shows hostile text as text', async () => {
    const { page } = at();
    await visit(page, '/');
    await visit(page, '/try');
    const evil = '<img src=x onerror="globalThis.pwned=1">\u202E';
    const text = JSON.stringify(
      [
        { role: evil, [evil]: 1, content: evil },
        { role: 'user', content: 'x'.repeat(300_000) + evil, [evil]: 1 },
      ].slice(1),
    );
    await page.locator('input[type=file]').setInputFiles({ name: `${evil}.json`, mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.getByText('293.1 KiB').waitFor();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await part('Repaired').waitFor();
    await page.getByText('read in another form, or left out').click();
    expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
    await page.getByRole('button', { name: 'Remove' }).click();
    await field().waitFor();
  });
}
