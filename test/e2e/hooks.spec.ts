import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type Loose } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** One script decides by the prompt it reads, as hook scripts do. */
const SCRIPT = `
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  const { prompt, hook_event_name } = JSON.parse(text);
  if (hook_event_name !== 'UserPromptSubmit') process.exit(1);
  if (prompt.includes('forbidden')) { console.error('not in this house'); process.exit(2); }
  if (prompt.includes('enough')) console.log(JSON.stringify({ continue: false, stopReason: 'that will do' }));
  if (prompt.includes('weather')) console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It rains.' } }));
});
`;

describe('hooks of the operator', () => {
  let directory: string;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-hooks-'));
    await writeFile(path.join(directory, 'hook.cjs'), SCRIPT);
    const file = path.join(directory, 'hooks.json');
    const command = `"${process.execPath}" "${path.join(directory, 'hook.cjs')}"`;
    await writeFile(file, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command, timeout: 20 }] }] } }));
    server = await startTestServer({ HOOKS_FILE: file });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const runs = async (id: string): Promise<readonly Loose[]> => (await client.events(id)).filter((event) => event.type === 'hook.completed').map((event) => event.data);

  it('block a prompt: nothing is sent, the reader is warned', async () => {
    const id = await client.session();
    expect(await client.ask(id, 'something forbidden')).toMatchObject({ status: 'completed', stopReason: 'not_sent', requests: [] });
    const messages = await client.messages(id, 'view=transcript');
    expect(messages).toEqual([expect.objectContaining({ type: 'system', subtype: 'hook_blocked', level: 'warning' })]);
    expect(messages[0].content).toContain('not in this house');
    expect(await runs(id)).toEqual([expect.objectContaining({ outcome: 'blocked', exitCode: 2, event: 'UserPromptSubmit' })]);
    expect((await client.ask(id, 'something allowed')).requests).toHaveLength(1);
    expect(JSON.stringify((await client.get(`/v1/sessions/${id}/payload`)).body.payload)).not.toContain('forbidden');
  });

  it('prevent: the prompt stays in context, the model is not asked', async () => {
    const id = await client.session();
    expect((await client.ask(id, 'enough')).requests).toEqual([]);
    expect((await client.messages(id)).map((message) => message.content)).toEqual(['enough', 'Operation stopped by hook']);
  });

  it('add context that the model reads and the transcript does not show as a prompt', async () => {
    const id = await client.session();
    const turn = await client.ask(id, 'how is the weather?');
    const { payload, verified } = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
    expect(verified).toBe(true);
    const texts = payload.messages[0].content.map((block: Loose) => block.text);
    // Attachments stand in front of the prompt that they came with.
    expect(texts[0]).toMatch(/^<system-reminder>[^]*It rains\.[^]*<\/system-reminder>$/);
    expect(texts[1].trim()).toBe('how is the weather?');
  });

  it('run when asked, and every run is recorded', async () => {
    const id = await client.session();
    const { body } = expectStatus(await client.post(`/v1/sessions/${id}/hook-runs`, { event: 'UserPromptSubmit', input: { prompt: 'weather' } }), 201);
    expect(body.outcomes).toEqual([expect.objectContaining({ outcome: 'success', additionalContext: 'It rains.' })]);
    expect(await runs(id)).toEqual(body.outcomes.map((outcome: Loose) => expect.objectContaining({ hookRunId: outcome.hookRunId })));
    expect((await client.post(`/v1/sessions/${id}/hook-runs`, { event: 'Stop' })).body.outcomes).toEqual([]);
    expect((await client.get('/v1/hooks')).body.data).toHaveLength(1);
  });
});
