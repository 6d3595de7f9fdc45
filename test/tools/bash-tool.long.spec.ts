import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BashTool } from '../../src/engine/tools/bash/bash-tool.js';
import { detectSandbox, findSandbox, type SandboxSettings } from '../../src/engine/tools/bash/detect-sandbox.js';
import { Shell } from '../../src/engine/tools/bash/shell.js';
import { reachable } from '../../src/engine/tools/builtin-tools.js';
import type { Sandbox } from '../../src/engine/tools/bash/sandbox.js';
import { Workspaces } from '../../src/engine/tools/workspaces/workspaces.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { BUBBLEWRAP, describeWith, ROOT } from '../support/needs.js';
import { until } from '../support/until.js';
import { callTool, makeWorkspaces } from '../support/workspace.js';

const SEARCH = process.env['PATH'] ?? '';
const settings = { search: SEARCH, outputCharacters: 2_000, maxOutputMb: 16, memoryMb: 256, processes: 40, fileMb: 8, network: false };

/** Processes of this machine whose command line holds the text. */
const running = (text: string): readonly string[] =>
  execFileSync('ps', ['axo', 'args'])
    .toString()
    .split('\n')
    .filter((line) => line.includes(text) && !line.startsWith('ps '));

/** A process that was killed ends when the machine has time for it. */
const noneRuns = (mark: string): Promise<void> => until('no process of the command runs', async () => running(mark).length === 0);

describeWith(ROOT)('the Bash tool with its own account', () => bashTool('none'));
describeWith(BUBBLEWRAP)('the Bash tool with bubblewrap', () => bashTool('bwrap'));

function bashTool(sandbox: SandboxSettings['sandbox']): void {
  let workspaces: Workspaces;
  let remove: () => Promise<void>;
  let tool: BashTool;
  let detected: Sandbox;

  beforeAll(async () => {
    ({ workspaces, remove } = await makeWorkspaces());
    const found = await detectSandbox({ ...settings, sandbox }, workspaces);
    if (typeof found === 'string') throw new Error(found);
    detected = found;
    tool = new BashTool({ timeoutMs: 60_000, maxTimeoutMs: 60_000 }, new Shell(settings, detected, workspaces));
  });
  afterAll(() => remove());

  it('is found by a start that fails to try it at first, as on a full disk', async () => {
    const { workspaces: full, remove: removeFull } = await makeWorkspaces();
    const of = full.of.bind(full);
    let refused = 0;
    full.of = async (...session) => {
      refused += 1;
      if (refused < 2) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      return of(...session);
    };
    expect(await findSandbox({ ...settings, sandbox }, full)).toEqual(detected);
    await removeFull();
  });

  const run = (session: string, command: string, more: { readonly [key: string]: Json } = {}, signal?: AbortSignal) =>
    callTool(tool, session, 'Bash', { command, ...more }, signal ? { signal } : {});

  it('returns both outputs interleaved, and how the command ended', async () => {
    expect(await run('s1', 'echo one; echo two >&2; echo three; echo four > /dev/stderr')).toMatchObject({
      content: 'one\ntwo\nthree\nfour',
      isError: false,
      toolUseResult: { stdout: 'one\ntwo\nthree\nfour\n', stderr: '', exitCode: 0, interrupted: false, timedOut: false, truncated: false },
    });
    expect(await run('s1', 'true')).toMatchObject({ content: '(no output)', isError: false });
    expect(await run('s1', 'echo no; exit 3')).toMatchObject({ content: 'no\n[Exit code 3]', isError: true, toolUseResult: { exitCode: 3 } });
    expect(await run('s1', 'kill -KILL $$')).toMatchObject({ isError: true });
    expect((await run('s1', 'if')).content).toContain('syntax error');
    expect((await run('s1', 'cat; echo "$# arguments"')).content).toBe('0 arguments');
  });

  it('keeps the working folder between commands, and resets it when it is outside', async () => {
    const { root } = await workspaces.of('tenant', 's2');
    expect((await run('s2', 'pwd; echo $HOME')).content).toBe(`${root}\n${root}`);
    await run('s2', 'mkdir -p "a b/c" && cd "a b/c" && false');
    expect((await run('s2', 'pwd')).content).toBe(`${root}/a b/c`);
    expect((await run('other', 'pwd')).content).not.toContain('a b');
    expect((await run('s2', 'cd /usr')).content).toContain(`[The working folder was reset to ${root}: /usr is outside`);
    expect((await run('s2', 'pwd; cd "a b"; exit 1')).content).toBe(`${root}\n[Exit code 1]`);
    expect((await run('s2', 'pwd; rm -rf "../a b"')).content).toBe(`${root}/a b`);
    expect((await run('s2', 'pwd')).content).toBe(root);
  });

  it("gives commands nothing of the server's environment", async () => {
    process.env['A_SECRET_OF_THE_SERVER'] = 'do not tell';
    const { content } = await run('s3', 'env; tr "\\0" "\\n" < /proc/$PPID/environ; cat /proc/*/environ | tr "\\0" "\\n"; id -u');
    delete process.env['A_SECRET_OF_THE_SERVER'];
    expect(content).not.toContain('A_SECRET_OF_THE_SERVER');
    if (ROOT.isMet) expect(content).not.toMatch(/^0$/m);
    const names = (await run('s3', 'env')).content.split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => !['PATH', 'HOME', 'TMPDIR', 'SHELL', 'LANG', 'TERM', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? ''))).toEqual([]);
  });

  it('isolates sessions from each other', async () => {
    const { root } = await workspaces.of('tenant', 'theirs');
    await run('theirs', 'echo private > note; chmod 777 . note');
    expect((await run('mine', `cat ${root}/note; ls ${path.dirname(path.dirname(root))}`)).content).not.toMatch(/private|theirs$/m);
    // The parent folder stays closed whatever mode the session gives its own folder.
    expect((await stat(path.dirname(root))).mode & 0o007).toBe(0);
  });

  it('kills a command with its descendants at the timeout', async () => {
    const mark = randomUUID();
    const command = `trap "" TERM; echo begun; sh -c 'sleep 600; : ${mark}' & sleep 600; : ${mark}`;
    let timeout = 100;
    let content = '';
    // A command that had not begun by then shows nothing: it gets more time.
    while (!content.startsWith('begun')) {
      timeout *= 4;
      const outcome = await run('s4', command, { timeout });
      expect(outcome).toMatchObject({ isError: true, toolUseResult: { timedOut: true, exitCode: null } });
      ({ content } = outcome);
    }
    expect(content).toBe(`begun\n[Stopped: it took longer than ${timeout} ms]`);
    await noneRuns(mark);
  });

  it('leaves no process running', async () => {
    const mark = randomUUID();
    const inBackground = `sh -c 'sleep 600; : ${mark}' &`;
    const outcome = await run('s5', `${inBackground} nohup ${inBackground} setsid ${inBackground} (setsid ${inBackground}) ; echo left`);
    expect(outcome.content).toBe('left');
    await noneRuns(mark);
  });

  it('stops at an interrupt and returns the output so far', async () => {
    const controller = new AbortController();
    const mark = randomUUID();
    const outcome = await callTool(
      tool,
      's6',
      'Bash',
      { command: `echo begun; sleep 600; : ${mark}` },
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    expect(outcome).toMatchObject({
      content: expect.stringMatching(/^begun\n(?:Terminated\n)?\[Interrupted before it ended\]$/),
      isError: true,
      toolUseResult: { interrupted: true },
    });
    await noneRuns(mark);
    expect(await run('s6', 'echo never', {}, controller.signal)).toMatchObject({ toolUseResult: { stdout: '', interrupted: true } });
  });

  it('ends when the server is killed', async () => {
    const mark = randomUUID();
    const program = fileURLToPath(new URL('./shell-process.js', import.meta.url));
    const command = `sh -c 'sleep 600; : ${mark}' & echo begun; sleep 600; : ${mark}`;
    const server = spawn(process.execPath, [program, await workspaces.directory(), JSON.stringify(detected), command], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    expect(running(`sleep 600; : ${mark}`)).not.toEqual([]);
    server.kill('SIGKILL');
    await once(server, 'exit');
    await noneRuns(mark);
  });

  it('runs the commands of a session sequentially', async () => {
    const outcomes = await Promise.all([1, 2, 3].map((n) => run('s7', `echo ${n} >> order; sleep 0.05; echo ${n} >> order; cat order`)));
    expect(outcomes[2]?.content).toBe('1\n1\n2\n2\n3\n3');
  });

  it('keeps the beginning and the end of a long output, and kills a command at the output limit', async () => {
    const long = await run('s8', 'seq 1 100000');
    expect(long).toMatchObject({ isError: false, toolUseResult: { truncated: true } });
    expect(long.content).toMatch(/^1\n2\n[^]*\n\n\[\d+ characters were left out here[^]*\n99999\n100000$/);
    expect(long.content.length).toBeLessThan(2_200);
    const flood = await run('s8', 'yes | head -c 1G');
    expect(flood.isError).toBe(true);
    expect(flood.content).toContain('[Stopped: it printed more than the output limit');
    expect((await run('s8', "printf 'a\\xffb\\0c'")).content).toBe('a\ufffdb\ufffdc');
  });

  it('limits memory, files and processes', async () => {
    expect(await run('s9', 'head -c 2G </dev/zero | tail')).toMatchObject({ isError: true });
    expect((await run('s9', 'head -c 20M </dev/zero > big; stat -c %s big')).content).toContain(String(8 * 1_048_576));
    const limit = /fork|Resource temporarily unavailable/;
    const reached = new AbortController();
    const stopAtLimit = (data: Json): void => void (limit.test(JSON.stringify(data)) && reached.abort());
    const command = 'for n in $(seq 200); do sleep 30 & done; wait';
    const many = await callTool(tool, 's9', 'Bash', { command, timeout: 60_000 }, { signal: reached.signal, onProgress: stopAtLimit });
    expect(many.content).toMatch(limit);
    expect((await run('s9', 'echo well')).content).toBe('well');
  });

  it('reports progress', async () => {
    const seen: Json[] = [];
    const { root } = await workspaces.of('tenant', 's10');
    // The second line is printed once the first was reported, and later than the shortest interval between two reports.
    const command = 'echo first; while [ ! -e reported ]; do sleep 0.02; done; sleep 0.4; echo second';
    await callTool(tool, 's10', 'Bash', { command }, { onProgress: (data) => void (seen.push(data) === 1 && writeFileSync(path.join(root, 'reported'), '')) });
    expect(seen).toEqual([
      { type: 'bash', output: 'first\n', characters: 6, elapsedMs: expect.any(Number) },
      { type: 'bash', output: 'first\nsecond\n', characters: 13, elapsedMs: expect.any(Number) },
    ]);
  });

  it('rejects an invalid input with an explanation', async () => {
    for (const [input, said] of [
      [{}, '- command'],
      [{ command: '  ' }, 'must not be empty'],
      [{ command: 'a\0b' }, 'NUL'],
      [{ command: 'x', timeout: 1e9 }, '- timeout'],
      [{ command: `echo ${'x'.repeat(130_000)}` }, 'longer than'],
      [{ command: 'x', run_in_background: true }, 'run_in_background'],
      ['ls', 'input'],
    ] as readonly (readonly [Json, string])[]) {
      const outcome = await callTool(tool, 's11', 'Bash', input);
      expect(outcome.isError).toBe(true);
      expect(outcome.content).toContain(said);
    }
    expect(await tool.offered()).toMatchObject([{ name: 'Bash', effect: 'run', source: 'builtin', input_schema: { type: 'object', required: ['command'] } }]);
  });

  if (sandbox !== 'bwrap') return;

  it('sees only the system and its own folders', async () => {
    const { root } = await workspaces.of('tenant', 's12');
    const { content } = await run('s12', `ls /; ls ${path.dirname(root)}; touch /usr/x /x /dev/x; echo kept > /tmp/note; ps ax | wc -l`);
    const names = content.split('\n');
    for (const hidden of ['root', 'home', 'srv', 'place', 'shm']) expect(names).not.toContain(hidden);
    expect(content.match(/Read-only file system/g)).toHaveLength(3);
    expect(Number(names.at(-1))).toBeLessThan(10);
    expect((await run('s12', 'cat /tmp/note; echo x > /dev/tcp/127.0.0.1/1')).content).toMatch(/^kept\n[^]*Exit code 1/);
  });
}

describeWith(BUBBLEWRAP)('the folder of a skill', () => {
  it('is there read-only, and its scripts run', async () => {
    const { workspaces, remove } = await makeWorkspaces();
    const directory = path.join(await workspaces.directory(), 'skill');
    await mkdir(path.join(directory, 'scripts'), { recursive: true });
    await writeFile(path.join(directory, 'scripts/greet.sh'), '#!/bin/sh\necho "hello $1 from $(dirname "$0")"\n', { mode: 0o755 });
    await chmod(directory, 0o755);
    const sandbox = await detectSandbox({ ...settings, sandbox: 'bwrap' }, workspaces);
    if (typeof sandbox === 'string') throw new Error(sandbox);
    const folders = reachable(workspaces, async (tenant) => (tenant === 'tenant' ? [{ path: '/skills/greet', directory }] : []));
    const tool = new BashTool({ timeoutMs: 60_000, maxTimeoutMs: 60_000 }, new Shell(settings, sandbox, workspaces, folders));
    const run = (command: string) => callTool(tool, 'skills', 'Bash', { command });
    expect((await run('/skills/greet/scripts/greet.sh you')).content).toBe('hello you from /skills/greet/scripts');
    expect((await run('touch /skills/greet/new; ls /skills')).content).toMatch(/Read-only file system\ngreet$/);
    expect((await run('cat /proc/self/mountinfo')).content).not.toContain(' /skills/greet rw,');
    await chmod(directory, 0o700);
    await remove();
  });
});

describe('without a sandbox', () => {
  it('Bash stays off, and the report says how to enable it', async () => {
    const serverAccountOnly = new Workspaces('/nowhere', { of: () => null, perSession: false }, () => {});
    expect(await detectSandbox({ ...settings, search: '/nowhere', sandbox: 'auto' }, serverAccountOnly, false)).toContain('install bubblewrap, start as root');
    expect(await detectSandbox({ ...settings, search: '/nowhere', sandbox: 'bwrap' }, serverAccountOnly, false)).toContain('bubblewrap is not installed');
    for (const sandbox of ['auto', 'none'] as const)
      expect(await detectSandbox({ ...settings, sandbox }, serverAccountOnly, true)).toContain('commands never run as root');
  });
});
