import { expect, it } from '@jest/globals';
import { text } from '../support/claude-file.js';
import { messageHash, RecordedFile } from '../support/client-requests.js';
import { type Console, ask, becomes, expectAccessible, expectAccessibleEverywhere, tab } from './support/console.js';
import { visit } from './support/browser.js';

/** What was sent to the model, why it differs from what is stored, and what it cost. */
export function requestTests(at: () => Console): void {
  it('says in two clicks from the list why a block was changed, and verifies in the browser what was sent', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'Why so', context: { project: 'A compiler' } } });
    await ask(client, id, '{{think A short answer will do.}}{{say The lexer splits the text into tokens.}}');
    await visit(page, '/');
    await page.getByRole('link', { name: 'Why so' }).click();
    await page.getByRole('link', { name: 'What was sent' }).last().click();
    await page.getByText('the context of the session precedes the conversation').waitFor();
    const added = page.locator('.block-row.added').first();
    expect(await added.locator('.side').last().innerText()).toContain('A compiler');
    await page.getByRole('button', { name: 'Verify in this browser' }).click();
    await page.getByText('verified in this browser').waitFor();
    await added.getByRole('button').first().click();
    await page.getByLabel('Sent block').waitFor();
    await page.getByRole('button', { name: /^added/ }).click();
    await page.locator('.block-row:not(.added)').first().waitFor({ state: 'detached' });
    expect(await page.locator('.block-row').count()).toBeGreaterThan(0);
    expect(new URL(page.url()).searchParams.get('show')).toBe('added');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const { requestId } = (await client.listRequests({ id })).data[0]!;
    const { payload } = await client.getRequest({ id, requestId });
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`--data-binary '${JSON.stringify(payload).replaceAll("'", String.raw`'\''`)}'`);
    await page.getByRole('button', { name: 'Raw JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Payload').innerText())).toEqual(payload);
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.getByRole('button', { name: 'Copy as JSON' }).waitFor({ state: 'detached' });
    expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual(payload);
  });

  it('shows a block that several passes treated once, as a difference, and in a narrow window one half over the other', async () => {
    const { page } = at();
    await visit(page, '/try');
    const field = page.getByLabel('Messages, a request, or a session file');
    await field.fill(
      JSON.stringify([
        { role: 'user', content: 'The first line\nThe last line' },
        { role: 'user', content: 'Another text' },
      ]),
    );
    await field.press('Control+Enter');
    const second = page.locator('.block-row', { hasText: 'Another text' });
    await second.getByText('texts of different messages in one turn are separated by a newline').waitFor();
    await second.getByText('merge-users').waitFor();
    expect(await page.locator('.block-row').count()).toBe(2);
    expect(await page.locator('.block-row.kept').getByText('The first line').count()).toBe(1);
    const halves = second.getByLabel('Difference between stored and sent').locator('.split-labels > span');
    expect(await halves.allInnerTexts()).toEqual(['− Given', '+ Sent']);
    await expectAccessibleEverywhere(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await becomes(page, `document.documentElement.scrollWidth <= 390`);
    expect(await second.locator('.split-row.same > div').filter({ visible: true }).count()).toBe(1);
    await page.setViewportSize({ width: 1280, height: 800 });
    await becomes(page, `[...document.querySelectorAll('.split-row.same > div')].every((half) => half.offsetWidth > 0)`);
  });

  it('says which client sent a request through the Anthropic door, and whether its bytes were changed', async () => {
    const { client, page, origin, server } = at();
    const post = async (messages: readonly unknown[], more: object = {}, named: object = {}): Promise<string> => {
      const headers = { ...named, 'x-api-key': server.client.token!, 'content-type': 'application/json', 'user-agent': 'claude-cli/2.1.9 (external, cli)' };
      const answer = await fetch(`${origin}/anthropic/v1/messages`, {
        ...{ method: 'POST', headers },
        body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, messages, ...more }),
      });
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ role: 'assistant' })]);
      return answer.headers.get('x-verbatim-session')!;
    };
    const plain = { role: 'user', content: 'Which tests fail here?' };
    const id = await post([plain]);
    await visit(page, `/sessions/${id}`);
    await page.getByText('from Claude Code 2.1.9').waitFor();
    await tab(page, 'Requests').click();
    await page.getByRole('cell', { name: 'answer from Claude Code 2.1.9' }).waitFor();
    await page.getByRole('rowheader').getByRole('link').click();
    await page.getByText('Its bytes were passed on as they came.').waitFor();

    const task = await post([{ role: 'user', content: 'A task' }], {}, { 'x-claude-code-session-id': 'task' });
    const agent = await post([{ role: 'user', content: 'A part of it' }], {}, { 'x-claude-code-session-id': 'task', 'x-claude-code-agent-id': 'one' });
    await post([{ role: 'user', content: 'A summary' }], {}, { 'x-claude-code-session-id': 'task' });
    await visit(page, `/sessions/${task}`);
    await page.getByRole('link', { name: 'other part 1: A summary' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'subagent 1: A part of it' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(agent));
    await page.getByRole('link', { name: 'subagent of' }).waitFor();

    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }] };
    const repaired = await post([{ role: 'user', content: 'What is in this folder?' }, call, { role: 'user', content: 'Well?' }]);
    await visit(page, `/sessions/${repaired}/requests`);
    const row = page.getByRole('row').filter({ hasText: 'repaired' });
    await row.getByText(/^repaired after .*`tool_use` ids were found without/).waitFor();
    await page.getByRole('row').filter({ hasText: 'failed' }).getByText(/^400 /).waitFor();
    const sent = (await client.listRequests({ id: repaired })).data.map(({ cost }) => cost);
    expect(sent).toEqual([null, expect.any(Number)]);
    await row.getByRole('cell', { name: /^\$0\.\d+$/ }).waitFor();
    await expectAccessibleEverywhere(page);
    await row.getByRole('rowheader').getByRole('link').click();
    await page.getByText('What was changed, and why, is marked in the messages below.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'the request as it came' }).click();
    await page.getByText('`tool_use` ids were found without').waitFor();

    const thread = await post([{ role: 'user', content: 'Where is the log?' }], { thread: { type: 'create' } });
    const [, answer] = (await server.client.messages(thread)) as [unknown, { message: { id: string } }];
    await post([{ role: 'user', content: 'And the thread?' }], { thread: { type: 'continue', previous_message_id: answer.message.id } });
    await visit(page, `/sessions/${thread}/requests`);
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.getByText('It continues a message thread').waitFor();
    await page.getByText('The body as the client sent it').click();
    await page.getByText('"previous_message_id"').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'the answer that it names' }).click();
    await page.getByText('It begins a message thread').waitFor();
  });

  it('keeps the list of requests in view while it reads what came since, one reading at a time', async () => {
    const { client, page } = at();
    const { id } = await client.createSession({ body: { title: 'It grows' } });
    await ask(client, id, 'one');
    await visit(page, `/sessions/${id}/requests`);
    const rows = page.getByRole('region', { name: 'Requests' }).getByRole('rowheader');
    await rows.first().waitFor();
    let reads = 0;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const path = `**/v1/sessions/${id}/requests`;
    await page.route(path, async (route) => {
      reads += 1;
      await released;
      await route.continue();
    });
    const read = page.waitForRequest(path);
    await ask(client, id, 'two');
    await read;
    await ask(client, id, '{{say The third answer}}');
    await page.getByText('The third answer').first().waitFor();
    expect(reads).toBe(1);
    expect(await rows.count()).toBeGreaterThan(0);
    release();
    await rows.nth(2).waitFor();
    await page.unroute(path);
  });

  it('says what a broken prefix cost, in tokens and in money', async () => {
    const { client, page } = at();
    const costs = async (model: string): Promise<void> => {
      const { id } = await client.createSession({ body: { title: `Costs of ${model}`, model } });
      await ask(client, id, 'one {{cached 0 9000}}');
      const { data } = await client.listMessages({ id });
      await client.rewindSession({ id, body: { before: data[0]!.uuid } });
      await ask(client, id, 'instead {{cached 1000 8000}}');
      await visit(page, `/sessions/${id}/requests/${(await client.listRequests({ id })).data.at(-1)!.requestId}`);
    };
    await costs('claude-opus-5');
    await page.getByText('8,000 tokens of the cache were not read again. That cost $0.046 more than reading them.').waitFor();
    await page.getByText('1,000 from the cache').waitFor();
    await costs('claude-not-in-the-list');
    await page.getByText('What that cost is not known: claude-not-in-the-list has no price').waitFor();
  });

  it('shows what an imported file has recorded of its requests, as text', async () => {
    const { client, page } = at();
    const prompt = { role: 'user', content: 'Is it \u202Eevil?' };
    const file = new RecordedFile()
      .user('u1', null, prompt.content)
      .shape()
      .request('request \u202Eone', { tail: [messageHash(prompt)] })
      .request('two', { tail: ['a'.repeat(64)], members: { timestamp: 'soon' } })
      .piece('a1', 'u1', 'm1', text('Yes'), { stop: 'end_turn' });
    const { id } = await client.importSession({ body: file.text });
    await visit(page, `/sessions/${id}/requests`);
    await page.getByText('Recorded in the imported file').waitFor();
    await page.getByRole('table').getByRole('link').last().click();
    await page.getByRole('heading', { name: 'Request request ⟦U+202E⟧one' }).waitFor();
    await page.getByText('stored message', { exact: true }).waitFor();
    const shown = await page.getByLabel('Payload', { exact: true }).innerText();
    expect(shown).toContain('evil?');
    expect(shown).not.toContain('\u202E');
    await visit(page, `/sessions/${id}/requests`);
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByText('What was sent cannot be shown').waitFor();
    await page.getByText(`The message ${'a'.repeat(64)}`).waitFor();
  });
}
