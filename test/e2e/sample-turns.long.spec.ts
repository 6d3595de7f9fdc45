import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accounts } from '../../src/engine/tools/workspaces/accounts.js';
import { type Workspace, Workspaces } from '../../src/engine/tools/workspaces/workspaces.js';
import { GIT, describeWith, itWith, SHELL } from '../support/needs.js';
import type { Client, UnknownObject } from '../support/client.js';
import { answer, calls, CLAUDE_MD, configureCommits, reminder, says, STEPS, text } from '../support/commit-turns.js';
import { COMPOSED, type Deployed, type Deployment, DEPLOYMENTS } from '../support/deployments.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const maybe = itWith(GIT, SHELL);

for (const deployment of DEPLOYMENTS) describeWith(...deployment.needs)(`the turns of a commit with ${deployment.name}`, () => turnsOfACommit(deployment));

/**
 * Two whole turns of a commit, with the stored messages and every request. Decided otherwise than in a terminal session: the wording around the user context, the
 * skill's folder under /skills, a line end between joined texts, a listing of skills before the prompt, and the context of a hook after a call before that of a
 * hook before the call, in both turns.
 */
function turnsOfACommit(deployment: Deployment): void {
  let api: StandIn;
  let server: Deployed;
  let client: Client;
  let data: string;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-turns-'));
    await chmod(data, 0o711); // for the accounts of sessions
    const configured = await configureCommits(data);
    if (deployment.account) execFileSync('chown', ['-R', `${deployment.account.uid}:${deployment.account.gid}`, data]);
    api = await startStandIn({ apiKey: 'test-key' });
    server = await deployment.start({
      ANTHROPIC_API_KEY: 'test-key',
      ANTHROPIC_BASE_URL: api.url,
      DATA_DIR: data,
      WORKSPACES_DIR: path.join(data, 'workspaces'),
      ...configured,
    });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
    await rm(data, { recursive: true, force: true });
  });

  const withoutMarkers = (value: unknown): UnknownObject =>
    JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member)));
  const requests = (count: number): readonly UnknownObject[] => api.received.slice(-count).map(({ body }) => withoutMarkers(JSON.parse(body)));
  const userContext = (claudeMd: string): string =>
    `${reminder(`Background for this conversation. Use it where it helps with what the user asks; do not answer it by itself.\n\n# claudeMd\n${claudeMd}\n\n# currentDate\nToday's date is 2026-04-12.`)}\n`;
  const listing = text(reminder('Skills that can be called with the Skill tool:\n- commit: Creates a commit'));

  /** The folder of a session as the server makes it, and who works in it. */
  const folderOf = async (session: string): Promise<Pick<Workspace, 'root' | 'account'>> => {
    const { tenantId } = (await client.get('/v1/me')).body;
    const { account } = deployment;
    if (account === null) return new Workspaces(path.join(data, 'workspaces'), await accounts(undefined), () => {}).of(tenantId, session);
    const root = path.join(data, 'workspaces', tenantId, session, 'files');
    execFileSync('/bin/sh', ['-c', 'umask 077; mkdir -p "$1"', 'sh', root], { ...account, cwd: '/' });
    return { root, account };
  };

  /** A repository in the session's folder with one change that is not committed. */
  const repository = async (session: string): Promise<void> => {
    const { root, account } = await folderOf(session);
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...args], { cwd: root, env: { PATH: process.env['PATH'] ?? '', HOME: root }, ...account, stdio: 'pipe' });
    const put = async (content: string): Promise<void> => {
      await writeFile(path.join(root, 'README.md'), content);
      if (account) await chown(path.join(root, 'README.md'), account.uid, account.gid);
    };
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    await put('# myapp\n\nA smal example.\n');
    git('add', 'README.md');
    git('commit', '--quiet', '-m', 'start');
    await put('# myapp\n\nA small example.\n');
  };

  it('the model calls the skill itself', async () => {
    const id = await client.session({
      system: 'You are Claude Code...',
      systemContext: { gitStatus: 'M README.md', currentDate: '2026-04-12' },
      context: { claudeMd: CLAUDE_MD, currentDate: "Today's date is 2026-04-12." },
    });
    api.next(
      answer('msg_1', 'tool_use', says("I'll use the commit skill."), calls('toolu_01', 'Skill', { name: 'commit' })),
      answer('msg_2', 'end_turn', says('Committed.')),
    );
    expect(await client.ask(id, 'commit my README fix')).toMatchObject({ status: 'completed', stopReason: 'end_turn', requests: [{}, {}] });
    const [first, second] = requests(2);
    expect(second).toMatchObject({ system: [text('You are Claude Code...\n\ngitStatus: M README.md\ncurrentDate: 2026-04-12')] });
    expect(second.messages).toEqual([
      { role: 'user', content: [text(userContext(CLAUDE_MD)), listing, text('\ncommit my README fix')] },
      { role: 'assistant', content: [text("I'll use the commit skill."), { type: 'tool_use', id: 'toolu_01', name: 'Skill', input: { name: 'commit' } }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_01',
            content: `Launching skill: commit\n\n${reminder('PostToolUse:Skill hook additional context: Skill expansion completed')}\n\n${reminder('PreToolUse:Skill hook additional context: Remember to verify staged changes first')}`,
          },
          text(`Base directory for this skill: /skills/commit\n\n${STEPS}`),
        ],
      },
    ]);
    expect(first.messages).toEqual(second.messages.slice(0, 1));
    expect(JSON.stringify(second)).not.toContain('allowedTools');
  });

  maybe('a person types the slash command', async () => {
    const global =
      "Contents of /Users/me/.claude/CLAUDE.md (user's private global instructions for all projects):\n# Communication Style\n- Be direct and precise";
    const id = await client.session({
      system: "You are Claude Code, Anthropic's official CLI for Claude.\n... <full system prompt> ...",
      systemContext: { gitStatus: 'M README.md', workingDirectory: '/Users/me/projects/foo', currentDate: '2026-04-12' },
      context: { claudeMd: global, currentDate: "Today's date is 2026-04-12." },
    });
    await repository(id);
    const command = { command: "git commit -am 'fix typo in README'", description: 'Commit the README typo fix' };
    api.next(answer('msg_3', 'tool_use', says("I'll commit the fix."), calls('toolu_01ABC', 'Bash', command)), answer('msg_4', 'end_turn', says('Committed.')));
    expect(await client.ask(id, '/commit fix typo in README')).toMatchObject({ status: 'completed', stopReason: 'end_turn', requests: [{}, {}] });
    const [first, second] = requests(2);
    const header = '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>fix typo in README</command-args>';
    const body = `Base directory for this skill: /skills/commit\n\n${STEPS}\n\nARGUMENTS: fix typo in README`;
    expect(second.system).toEqual([
      text(
        "You are Claude Code, Anthropic's official CLI for Claude.\n... <full system prompt> ...\n\ngitStatus: M README.md\nworkingDirectory: /Users/me/projects/foo\ncurrentDate: 2026-04-12",
      ),
    ]);
    expect(second.tools.map(({ name }: UnknownObject) => name).sort()).toEqual(['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Skill', 'Write']);
    expect(second.messages).toEqual([
      { role: 'user', content: [text(userContext(global)), listing, text(`\n${header}`), text(`\n${body}`)] },
      { role: 'assistant', content: [text("I'll commit the fix."), { type: 'tool_use', id: 'toolu_01ABC', name: 'Bash', input: command }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01ABC', content: expect.any(String) }] },
    ]);
    const hooks = `${reminder('PostToolUse:Bash hook additional context: Status:\n## main')}\n\n${reminder('PreToolUse:Bash hook additional context: Remember to sign commits')}`;
    expect(second.messages[2].content[0].content.replace(/^\[main [0-9a-f]{7,}\]/, '[main abc1234]')).toBe(
      `[main abc1234] fix typo in README\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n${hooks}`,
    );
    expect(first.messages).toEqual(second.messages.slice(0, 1));

    const stored = await client.messages(id);
    expect(stored.map(({ type, isMeta = false, attachment }) => [type, isMeta, attachment?.type ?? null])).toEqual([
      ['user', false, null],
      ['user', true, null],
      ['attachment', false, 'command_permissions'],
      ['attachment', false, 'skill_listing'],
      ['assistant', false, null],
      ['attachment', false, 'hook_additional_context'],
      ['user', true, null],
      ['attachment', false, 'hook_additional_context'],
      ['assistant', false, null],
    ]);
    expect(stored[0].content).toBe(header);
    expect(stored[1].content).toBe(body);
    expect(stored[2].attachment).toMatchObject({ skill: 'commit', allowedTools: ['Bash(git status:*)', 'Bash(git diff:*)', 'Bash(git commit:*)'] });
    expect(stored[5].attachment).toMatchObject({ hookName: 'PreToolUse:Bash', toolUseId: 'toolu_01ABC', content: ['Remember to sign commits'] });
    expect(stored[7].attachment).toMatchObject({ hookName: 'PostToolUse:Bash', content: ['Status:\n## main'] });
    const runs = (await client.events(id)).filter(({ type }) => type === 'hook.completed').map(({ data: run }) => [run.event, run.outcome, run.exitCode]);
    expect(runs).toEqual([
      ['PreToolUse', 'success', 0],
      ['PostToolUse', 'success', 0],
    ]);
    for (const { requestId } of (await client.get(`/v1/sessions/${id}/requests`)).body.data)
      expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body.verified).toBe(true);
  });

  if (deployment === COMPOSED)
    it('a worker goes on where another one was', async () => {
      const id = await client.session();
      await repository(id);
      const typed = async (command: string): Promise<string> => {
        await client.ask(id, command, { mode: 'bash' });
        return String((await client.messages(id)).at(-1).content);
      };
      const [first, second] = server.workers;
      await second!.stop();
      expect(await typed("mkdir deep && cd deep && git commit -qam 'fixed by the first' && echo done")).toContain('done');
      await server.startWorker();
      await first!.stop();
      expect(await typed('git log -1 --format=%s; basename "$PWD"')).toContain('fixed by the first\ndeep');
    });
}
