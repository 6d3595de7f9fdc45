import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

describe('slash commands', () => {
  let server: TestServer;
  let client: Client;
  let directory: string;

  const put = async (name: string, content: string): Promise<void> => {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), content);
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'skills-'));
    await put(
      'commit/SKILL.md',
      '---\ndescription: Commits what is there\nargument-hint: [what]\nallowed-tools: Bash(git add:*), Bash(git commit:*)\nmodel: claude-haiku-4-5\n---\nCommit as told in @style.md and @../secret.txt: $ARGUMENTS',
    );
    await put('commit/style.md', 'Short subject lines.');
    await put('secret.txt', 'the secret');
    await put('team/note.md', 'Take a note.');
    await put('broken/SKILL.md', '---\ndescription: [\n---\nx');
    await put('background.md', '---\nuser-invocable: false\n---\nFor the model.');
    const hooks = path.join(directory, '.hooks.json');
    const command = 'if grep -q forbidden; then echo no >&2; exit 2; fi';
    await writeFile(hooks, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } }));
    server = await startTestServer({ SKILLS_DIR: directory, GATES: 'ultraplan', HOOKS_FILE: hooks });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const requestOf = async (id: string, turn: UnknownObject, index = 0): Promise<UnknownObject> =>
    expectStatus(await client.get(`/v1/sessions/${id}/requests/${turn.requests[index].requestId}`), 200).body;

  it('answers client commands while a turn runs, in the response and on the stream, without changing the conversation', async () => {
    const id = await client.session({ title: 'mine' });
    const stream = await client.stream(id);
    await stream.untilType('synced');
    const first = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    await stream.untilType('message.delta');
    const help = expectStatus(await client.prompt(id, '/help'), 202).body;
    expect(help).toMatchObject({ disposition: 'answered', display: { type: 'help', text: expect.stringContaining('/commit [what]  Commits what is there') } });
    expect(help).not.toHaveProperty('turnId');
    expect(help.display.commands.map((command: UnknownObject) => command.name)).toEqual([
      'help',
      'status',
      'config',
      'doctor',
      'cost',
      'context',
      'compact',
      'ultraplan',
      'exit',
      'commit',
      'team:note',
    ]);
    const status = (await client.prompt(id, '/status', { whenBusy: 'reject' })).body;
    expect(status.display).toMatchObject({ type: 'status', title: 'mine', status: 'running', turn: { turnId: first.turnId }, queueLength: 0 });
    const doctor = (await client.prompt(id, '/doctor')).body;
    expect(doctor.display).toMatchObject({ type: 'doctor', checks: { database: 'up', queue: 'up', live: 'up' }, model: 'offline', gates: ['ultraplan'] });
    expect(expectStatus(await client.prompt(id, '/exit', { whenBusy: 'reject' }), 409).body.code).toBe('session_busy');
    await client.post(`/v1/sessions/${id}/interrupt`);
    await stream.untilType('turn.interrupted');
    stream.close();
    const submitted = stream
      .stored()
      .filter((event) => event.event === 'prompt.submitted')
      .map((event) => event.data as UnknownObject);
    expect(submitted.map((event) => event.data.display?.type)).toEqual([undefined, 'help', 'status', 'doctor']);
    expect(submitted[1].data.display).toEqual(help.display);
    expect(JSON.stringify(await client.messages(id))).not.toContain('/help');
  });

  it('shows settings and changes a setting', async () => {
    const id = await client.session({ title: 'old' });
    expect((await client.prompt(id, '/config')).body.display).toMatchObject({
      type: 'config',
      settings: { title: 'old', permissionMode: 'default' },
      changed: [],
    });
    expect((await client.prompt(id, '/config permissionMode plan')).body.display).toMatchObject({
      settings: { permissionMode: 'plan' },
      changed: ['permissionMode'],
    });
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ permissionMode: 'plan', title: 'old' });
    for (const wrong of ['permissionMode root', 'system x', 'title']) {
      expect((await client.prompt(id, `/config ${wrong}`)).body).toMatchObject({ disposition: 'answered', display: { level: 'error' } });
    }
    const { version } = (await client.get(`/v1/sessions/${id}`)).body;
    expect((await client.events(id)).filter((event) => event.type === 'session.configured')).toHaveLength(1);
    expect(version).toBe((await client.events(id)).length);
  });

  it('expands a skill to its messages in order; server-only attachments are not sent', async () => {
    const id = await client.session({ permissionMode: 'acceptEdits', model: 'claude-sonnet-5-5' });
    const uuid = 'aaaaaaaa-0000-4000-8000-000000000001';
    const attachments = [
      { type: 'opened_file', filename: 'x' },
      { type: 'mention', path: 'a.ts', content: 'mentioned' },
    ];
    const turn = await client.ask(id, ' /commit fix $& typo', { uuid, attachments });
    expect(turn).toMatchObject({ status: 'completed', requests: [{ model: 'claude-haiku-4-5' }] });
    const messages = await client.messages(id);
    expect(messages.map(({ type, isMeta, attachment }: UnknownObject) => [type, isMeta ?? false, attachment?.type ?? null])).toEqual([
      ['user', false, null],
      ['user', true, null],
      ['attachment', false, 'opened_file'],
      ['attachment', false, 'mention'],
      ['attachment', false, 'skill_file'],
      ['attachment', false, 'skill_file'],
      ['attachment', false, 'command_permissions'],
      ['attachment', false, 'skill_listing'],
      ['assistant', false, null],
    ]);
    expect(messages[0]).toMatchObject({
      uuid,
      permissionMode: 'acceptEdits',
      content: '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>fix $& typo</command-args>',
    });
    expect(messages[1].content).toMatch(
      /^Base directory for this skill: \/skills\/commit\n\nCommit as told in @style\.md and @\.\.\/secret\.txt: fix \$& typo$/,
    );
    expect(messages[4].attachment).toMatchObject({ path: 'style.md', content: 'Short subject lines.' });
    expect(messages[5].attachment).toMatchObject({ path: '../secret.txt', note: expect.stringContaining('outside') });
    expect(messages[6].attachment).toEqual({
      type: 'command_permissions',
      skill: 'commit',
      allowedTools: ['Bash(git add:*)', 'Bash(git commit:*)'],
      model: 'claude-haiku-4-5',
      body: messages[1].uuid,
    });
    const request = await requestOf(id, turn);
    expect(request.verified).toBe(true);
    const sent = JSON.stringify(request.payload);
    for (const told of ['<command-name>/commit', 'Base directory for this skill', 'Short subject lines.', 'mentioned', 'opened the file x'])
      expect(sent).toContain(told);
    for (const secret of ['command_permissions', 'git add', 'the secret']) expect(sent).not.toContain(secret);

    // The model it asked for was for that turn.
    expect(await client.ask(id, 'and now?')).toMatchObject({ requests: [{ model: 'claude-sonnet-5-5' }] });
    expect((await client.messages(id, 'view=transcript')).filter((message) => message.type === 'user').map((message) => message.content)[1]).toBe('and now?');
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: uuid }), 201).body;
    expect(rewind).toMatchObject({ prompt: { input: ' /commit fix $& typo' }, permissionMode: 'acceptEdits' });
  });

  it('runs UserPromptSubmit hooks only for commands that call the model, with the submitted text', async () => {
    const id = await client.session();
    await client.ask(id, '/team:note forbidden');
    expect((await client.messages(id)).map(({ type, subtype }: UnknownObject) => subtype ?? type)).toEqual(['user', 'hook_blocked']);
    await client.ask(id, '/cost forbidden');
    const runs = (await client.events(id)).filter((event) => event.type === 'hook.completed').map((event) => event.data);
    expect(runs.map((run: UnknownObject) => [run.outcome, run.input.prompt])).toEqual([['blocked', '/team:note forbidden']]);
  });

  it('runs a local command in a separate turn, in queue order', async () => {
    const id = await client.session({ tools: [{ name: 'pick', description: 'Picks', input_schema: { type: 'object' } }] });
    const first = await client.ask(id, '{{tool pick {}}}'); // its turn waits for the client
    const cost = (await client.prompt(id, '/cost')).body;
    const note = (await client.prompt(id, '/team:note')).body;
    const last = (await client.prompt(id, 'and then')).body;
    expect([cost, note, last].map(({ disposition, position }) => [disposition, position])).toEqual([
      ['queued', 1],
      ['queued', 2],
      ['queued', 3],
    ]);
    const results = [{ toolUseId: first.toolCalls[0].toolUseId, content: 'picked' }];
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
    await client.settled(id, last.turnId);
    expect(await client.settled(id, cost.turnId)).toMatchObject({ status: 'completed', stopReason: 'not_sent', requests: [] });
    const shown = (await client.messages(id)).map(({ type, subtype, content }: UnknownObject) => (type === 'user' ? content : (subtype ?? type)));
    expect(shown).toEqual([
      '{{tool pick {}}}',
      'attachment',
      'assistant',
      [expect.objectContaining({ type: 'tool_result', content: 'picked' })],
      'assistant',
      'local_command',
      expect.stringContaining('/team:note'),
      'Take a note.',
      'attachment',
      'assistant',
      'and then',
      'assistant',
    ]);
    const told = (await client.messages(id)).find((message) => message.subtype === 'local_command');
    expect(told.content).toMatch(/^<command-name>\/cost<\/command-name>\n<local-command-stdout>Requests: 2\n[\s\S]*<\/local-command-stdout>$/);
    const context = await client.ask(id, '/context');
    expect(context.requests).toEqual([]);
    expect((await client.messages(id)).at(-1).content).toMatch(/Next request: \d+ messages, \d+ characters/);
    // The model reads it as something the user shows.
    const turn = await client.ask(id, 'thanks');
    expect(JSON.stringify((await requestOf(id, turn)).payload)).toContain('Next request:');
  });

  it('lets a remote client run bridge-safe commands only', async () => {
    const id = await client.session();
    const from = { bridgeOrigin: true, skipSlashCommands: true };
    expect((await client.prompt(id, '/status', from)).body).toMatchObject({ disposition: 'answered', display: { type: 'status' } });
    expect((await client.prompt(id, '/config title x', from)).body).toMatchObject({
      disposition: 'answered',
      display: { text: expect.stringContaining('not available over remote control') },
    });
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: null, status: 'idle' });
    for (const [text, more] of [
      ['/nope', from],
      ['/config', { skipSlashCommands: true }],
      ['/exit', { skipSlashCommands: true }],
    ] as const) {
      expect((await client.ask(id, text, more)).requests).toHaveLength(1);
    }
    const prompts = (await client.messages(id)).filter((message) => message.type === 'user');
    expect(prompts.map((message) => message.content)).toEqual(['/nope', '/config', '/exit']);
  });

  it('expands the ultraplan keyword when it was typed, not when it was pasted', async () => {
    const id = await client.session();
    await client.ask(id, 'An ultraplan for the move, please');
    const [header, body] = await client.messages(id);
    expect(header.content).toContain('<command-name>/ultraplan</command-name>\n<command-args>An ultraplan for the move, please</command-args>');
    expect(body).toMatchObject({ isMeta: true, content: expect.stringMatching(/Task: An ultraplan for the move, please$/) });
    const other = await client.session();
    await client.ask(other, 'See [Pasted text #1]', { pastedContents: { '1': { type: 'text', content: 'ultraplan' } } });
    expect((await client.messages(other))[0].content).toBe('See ultraplan');
    const { submission } = (await client.events(other)).find((event) => event.type === 'prompt.submitted').data;
    expect(submission.route).toEqual({ kind: 'prompt' });
  });

  it('answers an unknown command with an error and treats a path as a prompt', async () => {
    const id = await client.session();
    expect((await client.prompt(id, '/nope now')).body).toMatchObject({ disposition: 'answered', display: { text: 'Unknown command: /nope' } });
    expect((await client.prompt(id, '/broken')).body.display.text).toBe('Unknown command: /broken');
    expect((await client.prompt(id, '/background')).body.display.text).toContain('by the model only');
    expect(await client.ask(id, '/var/log is full')).toMatchObject({ status: 'completed' });
  });

  it('reports a skill that was uninstalled while its prompt was queued', async () => {
    await put('fleeting.md', 'Soon gone.');
    const other = await startTestServer({ SKILLS_DIR: directory }, server.database, client.token);
    try {
      const id = await other.client.session();
      await other.client.prompt(id, '{{slow 100}}{{long 5000}}');
      const queued = (await other.client.prompt(id, '/fleeting')).body;
      expect(queued.disposition).toBe('queued');
      await rm(path.join(directory, 'fleeting.md'));
      await until('the skill is gone', async () => !(await other.client.get('/v1/skills')).body.data.some((skill: UnknownObject) => skill.name === 'fleeting'));
      await other.client.post(`/v1/sessions/${id}/interrupt`);
      expect(await other.client.settled(id, queued.turnId)).toMatchObject({ status: 'completed', requests: [] });
      expect((await other.client.messages(id)).at(-1)).toMatchObject({
        type: 'system',
        subtype: 'informational',
        content: expect.stringContaining('/fleeting is no longer installed'),
      });
    } finally {
      await other.stop();
    }
  });

  it('replays the first answer for a repeat', async () => {
    const id = await client.session();
    const key = freshKey();
    const first = await client.post(`/v1/sessions/${id}/prompts`, { input: '/config title once' }, key);
    await client.post(`/v1/sessions/${id}/prompts`, { input: '/config title twice' });
    const again = await client.post(`/v1/sessions/${id}/prompts`, { input: '/config title once' }, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await client.get(`/v1/sessions/${id}`)).body.title).toBe('twice');
    const status = freshKey();
    const before = (await client.post(`/v1/sessions/${id}/prompts`, { input: '/status' }, status)).body;
    await client.ask(id, 'something happens');
    expect((await client.post(`/v1/sessions/${id}/prompts`, { input: '/status' }, status)).body.display).toEqual(before.display);
  });

  it('closes the session by exit word and by /exit', async () => {
    for (const word of ['exit', '/exit', '/quit', ':q']) {
      const id = await client.session();
      expect((await client.prompt(id, word)).body).toMatchObject({ disposition: 'answered', display: { type: 'text', level: 'notice' } });
      expect((await client.get(`/v1/sessions/${id}`)).body.status).toBe('closed');
      expect(expectStatus(await client.prompt(id, '/help'), 409).body.code).toBe('session_closed');
    }
  });

  it('exits while a turn runs: the turn is interrupted, waiting prompts are withdrawn, and a repeat does not end a later turn', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    const running = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const waiting = (await client.prompt(id, 'later')).body;
    await stream.untilType('message.delta');
    stream.close();
    const key = { 'idempotency-key': 'exit-once' };
    const left = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: 'exit' }, key), 202).body;
    expect(left).toMatchObject({ disposition: 'answered', display: { type: 'text', level: 'notice' } });
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 'closed', queueLength: 0 });
    const events = await client.events(id);
    expect(events.find(({ type }) => type === 'turn.interrupt_requested')!.data).toEqual({ turnId: running.turnId, reason: 'exit' });
    expect(events.find(({ type }) => type === 'prompt.withdrawn')!.data).toEqual({ promptId: waiting.promptId });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['prompt.submitted', 'session.closed']);
    expect((await client.messages(id)).at(-1)).toMatchObject({ isInterruption: true });
    expectStatus(await client.post(`/v1/sessions/${id}/reopen`), 200);
    const next = (await client.prompt(id, 'and on')).body;
    expect(expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: 'exit' }, key), 202).body).toEqual(left);
    expect(await client.settled(id, next.turnId)).toMatchObject({ status: 'completed' });
  });

  it('exits while a turn waits for its client', async () => {
    const id = await client.session({ tools: [{ name: 'pick', description: 'Picks', input_schema: { type: 'object' } }] });
    const { turnId, status } = await client.ask(id, '{{tool pick {}}}');
    expect(status).toBe('waiting');
    await client.prompt(id, 'later');
    expectStatus(await client.prompt(id, ':q'), 202);
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 'closed', queueLength: 0 });
    expect((await client.settled(id, turnId)).status).toBe('interrupted');
  });

  it('shows nothing of a session to other users', async () => {
    const id = await client.session({ title: 'private' });
    const outsider = await server.tenant('another tenant');
    expect(expectStatus(await outsider.prompt(id, '/status'), 404).body.code).toBe('session_not_found');
    expect((await client.events(id)).map((event) => event.type)).toEqual(['session.created']);
  });

  it('lists commands, skills and unreadable skills', async () => {
    const { data } = expectStatus(await client.get('/v1/commands'), 200).body;
    expect(data).toContainEqual({
      name: 'help',
      description: 'List the commands',
      argumentHint: null,
      kind: 'client',
      immediate: true,
      bridgeSafe: true,
      source: 'builtin',
    });
    expect(data).toContainEqual({
      name: 'commit',
      description: 'Commits what is there',
      argumentHint: '[what]',
      kind: 'prompt',
      immediate: false,
      bridgeSafe: true,
      source: 'skill',
    });
    expect(data.map((command: UnknownObject) => command.name)).not.toContain('background');
    const skills = expectStatus(await client.get('/v1/skills'), 200).body;
    expect(skills.data.map((skill: UnknownObject) => [skill.name, skill.userInvocable, skill.modelInvocable])).toEqual([
      ['commit', true, true],
      ['team:note', true, true],
      ['background', false, true],
    ]);
    expect(skills.problems).toEqual([{ path: 'broken/SKILL.md', problem: expect.stringContaining('front matter') }]);
  });
});
