import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const LOOKUP = [{ name: 'lookup', description: 'Looks up.', input_schema: { type: 'object', properties: {} } }];

describe('the transcript', () => {
  let server: TestServer;
  let client: Client;
  let directory: string;
  let userId: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-skills-'));
    await writeFile(path.join(directory, 'greet.md'), '---\ndescription: Greets\nallowed-tools: Bash(ls)\n---\nGreet $ARGUMENTS.');
    server = await startTestServer({ SKILLS_DIR: directory });
    client = server.client;
    userId = expectStatus(await client.get('/v1/me'), 200).body.userId;
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const transcript = (id: string, query = ''): Promise<readonly UnknownObject[]> => client.messages(id, `view=transcript${query}`);
  const callIds = (messages: readonly UnknownObject[]): readonly string[] =>
    messages.flatMap(({ message }) => message?.content ?? []).flatMap(({ type, id }: UnknownObject) => (type === 'tool_use' ? [id] : []));

  it('shows the result of every tool call, whole and split, and never the flag that hides messages', async () => {
    const id = await client.session({ tools: LOOKUP });
    const turn = await client.ask(id, '{{tool lookup {"q":"a"}}}{{tool unknown {}}}');
    const [call, closed] = callIds(await transcript(id));
    await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: call, content: 'found', toolUseResult: { rows: 1 } }] });
    await client.settled(id, turn.turnId);
    const shown = await transcript(id);
    const results = shown.filter(({ type, content }) => type === 'user' && Array.isArray(content)).flatMap(({ content }) => content);
    expect(results.map(({ tool_use_id }: UnknownObject) => tool_use_id).toSorted()).toEqual([call, closed].toSorted());
    expect(shown.find(({ toolUseResult }) => toolUseResult)).toMatchObject({
      toolUseResult: { rows: 1 },
      content: [{ type: 'tool_result', content: 'found' }],
    });
    expect(shown.filter((message) => 'isMeta' in message)).toEqual([]);
    const split = (await transcript(id, '&split=blocks')).map(({ uuid }) => uuid);
    const everything = (await client.messages(id, 'view=full&split=blocks')).map(({ uuid }) => uuid);
    expect(everything).toEqual(expect.arrayContaining(split));
  });

  it('hides what only the model or the permission rules read; the full view has it', async () => {
    const id = await client.session();
    await client.ask(id, '/greet you', { attachments: [] });
    await client.ask(id, 'hello', { attachments: [{ type: 'opened_file', filename: 'a.ts' }] });
    const kinds = (messages: readonly UnknownObject[]) => messages.flatMap(({ attachment }) => attachment?.type ?? []);
    expect(kinds(await client.messages(id))).toEqual(expect.arrayContaining(['command_permissions', 'skill_listing', 'opened_file']));
    expect(kinds(await transcript(id))).toEqual(['opened_file']);
    const prompts = (await transcript(id)).filter(({ type }) => type === 'user');
    expect(JSON.stringify(prompts)).not.toContain('Greet you.');
  });

  it('hides the prompt of a scheduled task, whose answer it shows', async () => {
    const id = await client.session();
    const origin = { kind: 'task-notification' };
    expect(await client.ask(id, 'the nightly check', { isMeta: true, origin })).toMatchObject({ status: 'completed' });
    expect((await transcript(id)).map(({ type }) => type)).toEqual(['assistant']);
    expect((await client.messages(id)).find(({ type }) => type === 'user')).toMatchObject({ content: 'the nightly check', isMeta: true, origin });
    expect(JSON.stringify((await client.get(`/v1/sessions/${id}/payload`)).body.payload)).toContain('the nightly check');
  });

  it('names the author of every message, and marks an interruption', async () => {
    const { userId: guestId, token } = expectStatus(await client.post('/v1/tokens', { userName: 'guest', role: 'admin' }), 201).body;
    const guest = client.as(token);
    const id = await client.session({ tools: LOOKUP });
    await client.ask(id, 'hello');
    expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/user:guest`, { role: 'editor' }), 200);
    const turn = await guest.ask(id, '{{tool lookup {}}}');
    expect(turn.status).toBe('waiting');
    await client.post(`/v1/sessions/${id}/interrupt`);
    await client.settled(id, turn.turnId);
    const running = (await guest.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    await guest.post(`/v1/sessions/${id}/interrupt`);
    await client.settled(id, running.turnId);

    const shown = await transcript(id);
    const users = shown
      .filter(({ type }) => type === 'user')
      .map(({ by, isInterruption, content }) => [by.kind, by.id, isInterruption ?? false, content[0].type]);
    expect(users).toEqual([
      ['user', userId, false, undefined],
      ['user', guestId, false, undefined],
      ['system', undefined, false, 'tool_result'],
      ['user', userId, true, 'text'],
      ['user', guestId, false, undefined],
      ['user', guestId, true, 'text'],
    ]);
    const answer = shown.find(({ type }) => type === 'assistant');
    expect(answer.by).toEqual({ kind: 'model', id: answer.message.model });
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body;
    expect(await transcript(fork.id)).toEqual(shown);
  });
});
