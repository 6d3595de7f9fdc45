import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** The example of the documents, as it stands there. */
const GUARD = fileURLToPath(new URL('../../../docs/examples/guard.mjs', import.meta.url));

/** One script decides by the prompt it reads, as hook scripts do. */
const SCRIPT = `
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  require('node:fs').appendFileSync(process.argv[2], '.');
  const { prompt, hook_event_name: event, workload } = JSON.parse(text);
  const say = (members, more = {}) => console.log(JSON.stringify({ ...more, hookSpecificOutput: { hookEventName: event, ...members } }));
  if (prompt.includes('forbidden')) { console.error('not in this house'); process.exit(2); }
  if (prompt.includes('enough')) console.log(JSON.stringify({ continue: false, stopReason: 'that will do' }));
  if (prompt.includes('weather')) say({ additionalContext: 'It rains.' });
  if (prompt.includes('colour')) say({ updatedPrompt: prompt.replace('colour', 'color') }, { systemMessage: 'spelling was changed' });
  if (prompt.includes('whose')) say({ additionalContext: 'work of ' + workload });
  if (prompt.includes('hang')) setInterval(() => {}, 1000);
  if (prompt.includes('half')) console.log('{"decision": "bl');
  if (prompt.includes('die')) process.kill(process.pid, 'SIGKILL');
});
`;

describe('hooks of the operator', () => {
  let directory: string;
  let server: TestServer;
  let client: Client;
  /** Its hooks time out soon. It has a separate database, so that each server runs its own turns. */
  let hasty: TestServer;
  let ran: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-hooks-'));
    ran = path.join(directory, 'ran');
    await writeFile(path.join(directory, 'hook.cjs'), SCRIPT);
    const command = `"${process.execPath}" "${path.join(directory, 'hook.cjs')}" "${ran}"`;
    const guard = { type: 'command', command: `"${process.execPath}" "${GUARD}"`, timeout: 60 };
    const configured = async (timeout: number): Promise<string> => {
      const file = path.join(directory, `hooks-${timeout}.json`);
      const hooks = {
        SessionStart: [{ matcher: 'startup|resume', hooks: [guard] }],
        UserPromptSubmit: [{ hooks: [{ type: 'command', command, timeout }, guard] }],
        PreToolUse: [{ matcher: 'Bash', hooks: [guard] }],
        Stop: [
          {
            matcher: 'ignored',
            hooks: [{ type: 'command', command: 'read said; case $said in *\'"last_assistant_message":""\'*) echo "$said" >&2; exit 2;; esac' }],
          },
        ],
      };
      await writeFile(file, JSON.stringify({ hooks }));
      return file;
    };
    server = await startTestServer({ HOOKS_FILE: await configured(60) });
    client = server.client;
    hasty = await startTestServer({ HOOKS_FILE: await configured(2) });
  });
  afterAll(async () => {
    await hasty.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const completed = async (id: string, by = client): Promise<readonly UnknownObject[]> =>
    (await by.events(id)).filter((event) => event.type === 'hook.completed').map((event) => event.data);
  const onPrompt = async (id: string, by = client): Promise<readonly UnknownObject[]> =>
    (await completed(id, by)).filter((run) => run.event === 'UserPromptSubmit' && !run.hook.command.includes('guard'));
  const conversation = async (id: string, by = client): Promise<readonly UnknownObject[]> =>
    (await by.messages(id)).filter((message) => message.attachment?.hookEvent !== 'SessionStart');

  it('block a prompt: nothing is sent, the reader sees the prompt and a warning', async () => {
    const id = await client.session();
    expect(await client.ask(id, 'something forbidden')).toMatchObject({ status: 'completed', stopReason: 'not_sent', requests: [] });
    const messages = (await client.messages(id, 'view=transcript')).filter((message) => message.type !== 'attachment');
    expect(messages).toEqual([
      expect.objectContaining({ type: 'user', content: 'something forbidden', isVirtual: true }),
      expect.objectContaining({ type: 'system', subtype: 'hook_blocked', level: 'warning' }),
    ]);
    expect(messages[1].content).toContain('not in this house');
    expect(await onPrompt(id)).toEqual([expect.objectContaining({ outcome: 'blocked', exitCode: 2, event: 'UserPromptSubmit' })]);
    const submitted = (await client.events(id)).find((event) => event.type === 'prompt.submitted');
    expect(submitted.data.submission.original).toBe('something forbidden');
    expect((await client.ask(id, 'something allowed')).requests).toHaveLength(1);
    expect(JSON.stringify((await client.get(`/v1/sessions/${id}/payload`)).body.payload)).not.toContain('forbidden');
  });

  it('stop a prompt with `continue: false`: it stays in context with its attachments, the reason is shown, no request is sent', async () => {
    const id = await client.session();
    expect((await client.ask(id, 'enough', { attachments: [{ type: 'opened_file', filename: 'a.ts' }] })).requests).toEqual([]);
    const messages = (await conversation(id)).filter(({ attachment }) => attachment?.type !== 'skill_listing');
    expect(messages.map(({ content, attachment }) => content ?? attachment)).toEqual([
      'enough',
      { type: 'opened_file', filename: 'a.ts' },
      'A hook stopped the turn: that will do',
      'Operation stopped by hook',
    ]);
    expect(messages[2]).toMatchObject({ type: 'system', subtype: 'hook_stopped', level: 'warning' });
    const { payload } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(JSON.stringify(payload)).toContain('a.ts');
    expect(JSON.stringify(payload)).not.toContain('that will do');
  });

  it('add context that the model reads and the transcript does not show as a prompt', async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    const turn = await client.ask(id, 'how is the weather?');
    const { payload, verified } = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
    expect(verified).toBe(true);
    const texts = payload.messages.at(-1).content.map((block: UnknownObject) => block.text);
    // Attachments stand in front of the prompt that they came with.
    expect(texts[0]).toMatch(/^<system-reminder>[^]*It rains\.[^]*<\/system-reminder>$/);
    expect(texts[1].trim()).toBe('how is the weather?');
    const attached = (await client.messages(id)).filter((message) => message.attachment?.hookEvent === 'UserPromptSubmit');
    expect(attached.map(({ attachment }) => attachment)).toEqual([
      { type: 'hook_additional_context', hookName: 'UserPromptSubmit', hookEvent: 'UserPromptSubmit', content: ['It rains.'] },
    ]);
  });

  it('rewrite a prompt: the model reads the new text, readers and exports have both', async () => {
    const id = await client.session();
    const turn = await client.ask(id, '  my favourite colour ');
    const [prompt, notice] = await conversation(id);
    expect(prompt).toMatchObject({ type: 'user', content: 'my favourite color', rewrittenFrom: 'my favourite colour' });
    expect(notice).toMatchObject({ type: 'system', subtype: 'informational', content: 'UserPromptSubmit hook: spelling was changed' });
    expect((await onPrompt(id))[0]).toMatchObject({ outcome: 'success', updatedPrompt: 'my favourite color', systemMessage: 'spelling was changed' });
    expect((await client.events(id)).find((event) => event.type === 'prompt.submitted').data.submission).toMatchObject({
      original: '  my favourite colour ',
      value: 'my favourite colour',
    });
    const { payload } = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
    const sent = JSON.stringify(payload);
    expect(sent).toContain('my favourite color"');
    expect(sent).not.toMatch(/colour|spelling/);
    const { body: exported } = await client.get(`/v1/sessions/${id}/export?format=jsonl`);
    const imported = expectStatus(await client.call('POST', '/v1/imports', exported, { 'content-type': 'application/x-ndjson' }), 201).body.id;
    expect((await conversation(imported))[0]).toMatchObject({ content: 'my favourite color', rewrittenFrom: 'my favourite colour' });
    await client.ask(imported, 'hello');
    expect((await completed(imported)).map((run) => run.input.source ?? run.event)).toEqual(['resume', 'UserPromptSubmit', 'UserPromptSubmit', 'Stop']);
  });

  it.each([
    ['hangs', 'hang', { outcome: 'timeout', exitCode: null }],
    ['dies', 'die', { outcome: 'non_blocking_error' }],
    ['says half of what it means', 'half', { outcome: 'non_blocking_error', reason: expect.stringContaining('cannot be read') }],
  ])('do not hold up a prompt when one of them %s', async (_name, prompt, outcome) => {
    const by = prompt === 'hang' ? hasty.client : client;
    const id = await by.session();
    expect(await by.ask(id, prompt)).toMatchObject({ status: 'completed', requests: [expect.anything()] });
    expect(await onPrompt(id, by)).toEqual([expect.objectContaining(outcome)]);
    expect((await conversation(id, by))[0]).toMatchObject({ type: 'user', content: prompt });
  });

  it('read the workload tag', async () => {
    const id = await client.session();
    const { body } = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: 'whose?' }, { 'x-workload': 'nightly' }), 202);
    await client.settled(id, body.turnId);
    expect((await onPrompt(id))[0].input).toMatchObject({ workload: 'nightly' });
  });

  it('run when a session starts and when it is resumed', async () => {
    const id = await client.session();
    await client.ask(id, 'a forbidden word'); // what they said stays, though this is not sent
    await client.ask(id, 'one');
    await client.ask(id, 'two');
    const told = async () => (await completed(id)).filter((run) => run.event === 'SessionStart').map((run) => run.input.source);
    expect(await told()).toEqual(['startup']);
    await client.post(`/v1/sessions/${id}/close`);
    await client.post(`/v1/sessions/${id}/reopen`);
    const turn = await client.ask(id, 'three');
    expect(await told()).toEqual(['startup', 'resume']);
    const { payload } = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
    expect(JSON.stringify(payload.messages[0])).toContain('This conversation began by startup.');
    expect(JSON.stringify(payload.messages.at(-1))).toContain('This conversation began by resume.');
    const start = (await client.messages(id)).find((message) => message.attachment?.hookEvent === 'SessionStart');
    expect(start.attachment).toMatchObject({ type: 'hook_additional_context', hookName: 'SessionStart:startup' });
    // Rewound to its start, it restarts; no hook is configured for that.
    await client.post(`/v1/sessions/${id}/rewinds`, { before: start.uuid });
    await client.ask(id, 'four');
    expect(await told()).toEqual(['startup', 'resume']);
  });

  it('may be scripts written for Claude Code', async () => {
    const id = await client.session();
    const key = `AKIA${'A'.repeat(16)}`;
    expect((await client.ask(id, `use ${key}`)).stopReason).toBe('not_sent');
    const warned = (await client.messages(id)).find((message) => message.subtype === 'hook_blocked');
    expect(warned.content).toContain('The prompt holds a key.');
    const outcomes = async (command: string) =>
      (await client.post(`/v1/sessions/${id}/hook-runs`, { event: 'PreToolUse', toolName: 'Bash', toolInput: { command } })).body.outcomes;
    expect(await outcomes('rm -rf /')).toMatchObject([
      {
        outcome: 'blocked',
        decision: 'deny',
        reason: 'Deleting whole trees is left to people.',
        input: { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } },
      },
    ]);
    expect(await outcomes('npm install left-pad')).toMatchObject([
      { outcome: 'success', decision: 'ask', updatedInput: { command: 'npm install left-pad --ignore-scripts' } },
    ]);
    expect(await outcomes('ls')).toMatchObject([{ outcome: 'success' }]);
  });

  it('run on request for any event, and every run is recorded', async () => {
    const id = await client.session();
    const run = async (body: object) => expectStatus(await client.post(`/v1/sessions/${id}/hook-runs`, body), 201).body.outcomes;
    const asked = await run({ event: 'UserPromptSubmit', input: { prompt: 'weather' } });
    expect(asked).toMatchObject([{ outcome: 'success', additionalContext: 'It rains.' }, { outcome: 'success' }]);
    expect(await completed(id)).toEqual(asked.map((outcome: UnknownObject) => expect.objectContaining({ hookRunId: outcome.hookRunId })));
    expect(await run({ event: 'SessionStart' })).toMatchObject([{ additionalContext: expect.stringContaining('began by startup') }]);
    expect(await run({ event: 'SessionStart', input: { source: 'compact' } })).toEqual([]);
    expect(await run({ event: 'PreToolUse', toolName: 'Read', toolInput: {} })).toEqual([]);
    expect(await run({ event: 'PostToolUse', toolName: 'Bash' })).toEqual([]);
    expect(await run({ event: 'PreCompact' })).toEqual([]);
    const [stopped] = await run({ event: 'Stop' });
    expect(stopped).toMatchObject({ outcome: 'blocked', hook: { matcher: 'ignored' } });
    expect(JSON.parse(stopped.reason)).toMatchObject({ hook_event_name: 'Stop', stop_hook_active: false });
    expect((await client.get('/v1/hooks')).body.data.map((hook: UnknownObject) => [hook.source, hook.event, hook.type])).toEqual(
      ['SessionStart', 'UserPromptSubmit', 'UserPromptSubmit', 'PreToolUse', 'Stop'].map((event) => ['deployment', event, 'command']),
    );
  });

  it('run once for a repeated request', async () => {
    const id = await client.session();
    const before = (await readFile(ran, 'utf8')).length;
    const key = freshKey();
    const body = { event: 'UserPromptSubmit', input: { prompt: 'weather' } };
    const first = expectStatus(await client.post(`/v1/sessions/${id}/hook-runs`, body, key), 201).body;
    expect(expectStatus(await client.post(`/v1/sessions/${id}/hook-runs`, body, key), 201).body.outcomes).toEqual(first.outcomes);
    expect((await client.post(`/v1/sessions/${id}/hook-runs`, { event: 'Stop' }, key)).body.code).toBe('idempotency_mismatch');
    expect((await readFile(ran, 'utf8')).length).toBe(before + 1);
  });
});
