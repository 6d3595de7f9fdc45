import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { itWith, SHELL } from '../support/needs.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { until } from '../support/until.js';
import { startTestServer, type TestServer } from '../support/server.js';

const maybe = itWith(SHELL);

describe('bash mode', () => {
  let data: string;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-shell-'));
    await chmod(data, 0o711); // or the accounts of sessions could not reach it
    server = await startTestServer({ DATA_DIR: data, TOOLS: 'Bash,Read', BASH_MEMORY_MB: '256', BASH_OUTPUT_CHARACTERS: '1000' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const bash = (id: string, input: string): Promise<UnknownObject> => client.ask(id, input, { mode: 'bash' });
  /** What the shell answered to the last command. */
  const answer = async (id: string): Promise<string> =>
    /^<bash-stdout>([^]*)<\/bash-stdout>$/.exec((await client.messages(id)).at(-1).content)?.[1] ?? 'no answer';
  const after = async (id: string, input: string): Promise<string> => {
    expect(await bash(id, input)).toMatchObject({ status: 'completed', stopReason: 'not_sent', requests: [] });
    return answer(id);
  };

  it('does not run a command that a rule of the tenant denies', async () => {
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const rules = (deny: readonly string[]) => client.call('PATCH', '/v1/settings', { permissions: { allow: [], deny, ask: [] } });
    expectStatus(await rules(['Bash(touch *)']), 200);
    try {
      expect(await after(id, 'touch made')).toBe('The rule Bash(touch *) forbids this call of Bash. It was not run.');
      expectStatus(await rules(['Bash']), 200);
      expect(await after(id, 'echo hi')).toBe('The rule Bash forbids this call of Bash. It was not run.');
      expect((await client.messages(id)).at(-1).level).toBe('error');
      expect((await client.events(id)).map(({ type }) => type)).not.toContain('tool.started');
    } finally {
      expectStatus(await rules([]), 200);
    }
  });

  maybe('runs what is typed and asks no model; the next prompt tells it', async () => {
    const id = await client.session();
    expect(await after(id, 'echo hi')).toBe('hi');
    expect(await client.messages(id, 'view=transcript')).toEqual([
      expect.objectContaining({ type: 'system', subtype: 'local_command', level: 'info', content: '<bash-input>echo hi</bash-input>' }),
      expect.objectContaining({ type: 'system', subtype: 'local_command', level: 'info', content: '<bash-stdout>hi</bash-stdout>' }),
    ]);
    await client.ask(id, 'what did it say?');
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    expect(JSON.stringify(payload.messages[0])).toMatch(/bash-input>echo hi.*bash-stdout>hi.*what did it say/);
    expect((await client.events(id)).map((event) => event.type).slice(1, 8)).toEqual([
      'prompt.submitted',
      'turn.started',
      'tool.started',
      'message.appended',
      'message.appended',
      'turn.prepared',
      'turn.completed',
    ]);
  });

  maybe('keeps the working folder, and says how a command ended', async () => {
    const id = await client.session();
    expect(await after(id, 'mkdir -p a/b && cd a/b')).toBe('(no output)');
    expect(await after(id, 'pwd')).toMatch(/\/files\/a\/b$/);
    expect(await after(id, 'ls none')).toMatch(/No such file[^]*\[Exit code 2\]$/);
    expect((await client.messages(id)).at(-1)).toMatchObject({ level: 'error' });
    expect(await after(id, 'seq 1 5000')).toMatch(/^1\n2\n[^]*characters were left out here[^]*5000$/);
    expect(await after(id, 'head -c 1G /dev/zero | tail')).toMatch(/\[Exit code \d+\]$/);
    expect(await after(id, 'yes | head -c 1G')).toContain('[Stopped: it printed more than the output limit');
  });

  maybe('tells a command nothing of the server, and leaves nothing running', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'a-key-of-the-server';
    const id = await client.session();
    const said = await after(id, 'env; cat /proc/$PPID/environ /proc/1/environ | tr "\\0" "\\n"; true');
    delete process.env['ANTHROPIC_API_KEY'];
    expect(said).not.toMatch(/a-key-of-the-server|DATABASE|postgres/i);
    const mark = randomUUID();
    expect(await after(id, `sh -c 'sleep 600; : ${mark}' & setsid sh -c 'sleep 600; : ${mark}' & echo started`)).toBe('started');
    await until('none of it is left', async () => !execFileSync('ps', ['axo', 'args']).toString().includes(mark));
  });

  maybe('shows how far it is, and keeps what there was when it is interrupted', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    await stream.untilType('synced');
    const { body } = expectStatus(await client.prompt(id, 'echo begun; sleep 600', { mode: 'bash' }), 202);
    const seen = await stream.untilType('tool.progress');
    expect(seen.data).toMatchObject({ turnId: body.turnId, toolUseId: body.promptId, name: 'Bash', data: { output: 'begun\n' } });
    const waiting = expectStatus(await client.prompt(id, 'and now?'), 202).body;
    expect((await client.post(`/v1/sessions/${id}/interrupt`)).body.interrupted).toBe(true);
    expect(await client.settled(id, body.turnId)).toMatchObject({ status: 'interrupted' });
    const messages = await client.messages(id);
    expect(messages[1].content).toBe('<bash-stdout>begun\n[Interrupted before it ended]</bash-stdout>');
    expect(messages[2].content).toEqual([{ type: 'text', text: '[Request interrupted by user]' }]);
    expect(await client.settled(id, waiting.turnId)).toMatchObject({ status: 'completed' });
    stream.close();
  });

  maybe('is undone like any prompt', async () => {
    const id = await client.session();
    await bash(id, 'echo one');
    const [typed] = await client.messages(id);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: typed.uuid }), 201).body;
    expect(rewind.removed).toHaveLength(2);
    expect(await client.messages(id)).toEqual([]);
  });

  maybe('is the same shell, and the same folder, that the model has', async () => {
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    await bash(id, 'echo from a person > note');
    await client.ask(id, '{{tool Bash {"command":"cat note; echo from the model > note; exit 3"}}}');
    const { content } = (await client.messages(id)).find(({ type, isMeta }) => type === 'user' && isMeta);
    expect(content).toEqual([expect.objectContaining({ type: 'tool_result', is_error: true, content: 'from a person\n[Exit code 3]' })]);
    expect(await after(id, 'cat note')).toBe('from the model');
    await client.ask(id, '{{tool Read {"file_path":"note"}}}');
    expect(JSON.stringify(await client.messages(id))).toContain('     1\\tfrom the model');
  });

  it('is rejected when the Bash tool is not enabled', async () => {
    const without = await startTestServer({ DATA_DIR: data, TOOLS: 'Read' });
    const id = await without.client.session();
    const { status, body } = await without.client.prompt(id, 'ls', { mode: 'bash' });
    expect([status, body.code]).toEqual([422, 'tool_unavailable']);
    await without.stop();
  });
});
