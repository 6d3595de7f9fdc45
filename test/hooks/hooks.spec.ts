import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { parseHooks } from '../../src/engine/hooks/hooks-file.js';
import type { Hook } from '../../src/engine/hooks/definition.js';
import { MatchingHooks } from '../../src/engine/hooks/hooks.js';
import type { HookEvent } from '../../packages/protocol/hooks/hook-events.js';
import { Clock } from '../../src/ports/index.js';
import { MemoryTenants } from '../support/memory-tenants.js';
import type { HookRun } from '../../packages/protocol/hooks/hook-run.js';
import { until } from '../support/until.js';

class SystemClock extends Clock {
  override now(): number {
    return Date.now();
  }

  override uuid(): string {
    return randomUUID();
  }
}

const LIMIT = 1_000;
const ANSWER = 64_000;
const TERMS = { timeoutMs: 5_000, maxHooks: 10, allowPrivate: false };
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'verbatim-hooks-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const hooksOf = (commands: readonly string[], seconds = 60, event: HookEvent = 'UserPromptSubmit'): readonly Hook[] =>
  parseHooks(JSON.stringify({ hooks: { [event]: [{ hooks: commands.map((command) => ({ type: 'command', command, timeout: seconds })) }] } }), 'hooks.json', {
    timeoutMs: 60_000,
    environment: {},
  });

function run(
  hooks: readonly Hook[],
  options: { signal?: AbortSignal; subject?: string; prompt?: string; event?: HookEvent; input?: Readonly<Record<string, string>> } = {},
): Promise<readonly HookRun[]> {
  const settings = {
    directory,
    sandbox: null,
    environment: { ...process.env, DATABASE_URL: 'postgres://secret', ANTHROPIC_API_KEY: 'sk-secret' },
    outputCharacters: LIMIT,
    answerBytes: ANSWER,
  };
  return new MatchingHooks(hooks, new MemoryTenants(), TERMS, settings, new SystemClock()).run(
    {
      event: options.event ?? 'UserPromptSubmit',
      tenantId: '0b6f2f58-2a47-4d47-9d2a-222222222222',
      sessionId: '0b6f2f58-2a47-4d47-9d2a-111111111111',
      permissionMode: 'plan',
      input: options.input ?? { prompt: options.prompt ?? 'hello “you”' },
      ...(options.subject === undefined ? {} : { subject: options.subject }),
    },
    options.signal ?? new AbortController().signal,
  );
}

async function runOne(command: string, seconds?: number, event: HookEvent = 'UserPromptSubmit'): Promise<HookRun> {
  const [hookRun] = await run(hooksOf([command], seconds, event), { event });
  if (!hookRun) throw new Error('the hook did not run');
  return hookRun;
}

const answer = (value: unknown): string => `printf '%s' '${JSON.stringify(value)}'`;

/** Resolves when the process has ended of which a hook wrote down the number: one that was killed ends when the machine has time for it. */
const hasEnded = (file: string): Promise<void> => until('the process has ended', async () => !(await isRunning(file)));

/** Whether it still runs; one that is dead and not yet collected does not. */
async function isRunning(file: string): Promise<boolean> {
  const pid = readFileSync(file, 'utf8').trim();
  const { additionalContext } = await runOne(
    `kill -0 ${pid} 2>/dev/null && { ps -o stat= -p ${pid} 2>/dev/null || cut -d' ' -f3 /proc/${pid}/stat; } || echo gone`,
  );
  return !/^(gone|Z)/.test(additionalContext ?? '');
}

describe('the input of a command hook', () => {
  it('is the call as JSON on standard input', async () => {
    const { stdout, input, outcome, additionalContext } = await runOne('cat');
    expect(outcome).toBe('non_blocking_error'); // it printed an object none of whose members means anything
    expect(additionalContext).toBeUndefined();
    expect(JSON.parse(stdout)).toEqual(input);
    expect(input).toEqual({
      session_id: '0b6f2f58-2a47-4d47-9d2a-111111111111',
      transcript_path: '',
      cwd: directory,
      permission_mode: 'plan',
      hook_event_name: 'UserPromptSubmit',
      prompt: 'hello “you”',
    });
  });

  it("contains the event's own members, which cannot replace those of the session", async () => {
    const { input } = (
      await run(hooksOf(['true'], 5, 'PreToolUse'), { event: 'PreToolUse', input: { tool_name: 'Bash', session_id: 'other', transcript_path: '/etc/passwd' } })
    )[0]!;
    expect(input).toMatchObject({ tool_name: 'Bash', session_id: '0b6f2f58-2a47-4d47-9d2a-111111111111', transcript_path: '', hook_event_name: 'PreToolUse' });
  });

  it('runs in the given directory and sees nothing of the server’s environment', async () => {
    const { additionalContext } = await runOne('pwd; env | cut -d= -f1 | sort');
    const [where, ...names] = String(additionalContext).split('\n');
    expect(where).toBe(directory);
    const allowed = ['PATH', 'HOME', 'LANG', 'TZ', 'VERBATIM_SESSION_ID', 'CLAUDE_PROJECT_DIR', 'PWD', 'OLDPWD', 'SHLVL', '_'];
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(names).toContain('VERBATIM_SESSION_ID');
  });

  it('names the server’s folder and not the session’s when the hook runs outside of the sandbox', async () => {
    const sandbox = { folder: () => Promise.resolve('/of/the/session'), run: () => Promise.reject(new Error('not here')) };
    const settings = { directory, sandbox, environment: process.env, outputCharacters: LIMIT, answerBytes: ANSWER };
    const call = { event: 'SessionStart', tenantId: 't', sessionId: 's', permissionMode: 'default', input: {} } as const;
    const hook = { type: 'command', command: 'pwd -P; echo "$CLAUDE_PROJECT_DIR"', sandbox: false };
    const hooks = parseHooks(JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } }), 'hooks.json', { timeoutMs: 20_000, environment: {} });
    const [found] = await new MatchingHooks(hooks, new MemoryTenants(), TERMS, settings, new SystemClock()).run(call, new AbortController().signal);
    expect(found).toMatchObject({ stdout: `${directory}\n${directory}\n`, input: { cwd: directory } });
  });

  it.each<[HookEvent, object]>([
    ['UserPromptSubmit', { outcome: 'blocked' }],
    ['PreToolUse', { outcome: 'blocked', decision: 'deny' }],
    ['PostToolUse', { outcome: 'non_blocking_error' }],
    ['Stop', { outcome: 'non_blocking_error' }],
  ])('is read by no hook where the sandbox cannot be started, and what %s asks for is not allowed', async (event, expected) => {
    const folder = () => Promise.resolve('/of/the/session');
    const run = () => Promise.resolve(null);
    for (const sandbox of [
      { folder: () => Promise.reject(new Error('no space')), run },
      { folder, run },
      { folder, run: () => Promise.reject(new Error('no space')) },
    ]) {
      const settings = { directory, sandbox, environment: process.env, outputCharacters: LIMIT, answerBytes: ANSWER };
      const call = { event, tenantId: 't', sessionId: 's', permissionMode: 'default', input: {} } as const;
      const hooks = new MatchingHooks(hooksOf(['touch ran'], 20, event), new MemoryTenants(), TERMS, settings, new SystemClock());
      const [found] = await hooks.run(call, new AbortController().signal);
      expect(found).toMatchObject({ ...expected, exitCode: null, reason: expect.stringContaining('The hook did not run') });
    }
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });

  it('may be ignored, however long it is', async () => {
    const [hookRun] = await run(hooksOf(['exec 0<&-; echo fine']), { prompt: 'x'.repeat(2_000_000) });
    expect(hookRun).toMatchObject({ outcome: 'success', additionalContext: 'fine' });
  });
});

describe('the answer of a command hook', () => {
  it.each([
    ['nothing', 'true', { outcome: 'success', exitCode: 0, stdout: '', stderr: '' }],
    ['plain text as context', 'echo "the branch is main"', { outcome: 'success', exitCode: 0, additionalContext: 'the branch is main' }],
    [
      'context as JSON',
      answer({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'mind the gap' } }),
      { outcome: 'success', additionalContext: 'mind the gap' },
    ],
    ['context in the short form', `echo '{"additionalContext":"mind the gap"}'`, { outcome: 'success', additionalContext: 'mind the gap' }],
    [
      'context in both forms',
      answer({ additionalContext: 'short', hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'mind the gap' } }),
      { outcome: 'success', additionalContext: 'mind the gap' },
    ],
    ['a message to the user', answer({ systemMessage: 'logged', suppressOutput: true }), { outcome: 'success', systemMessage: 'logged' }],
    ['block by JSON', answer({ decision: 'block', reason: 'holds a key' }), { outcome: 'blocked', exitCode: 0, reason: 'holds a key' }],
    ['block by exit code', 'echo "no secrets, please" >&2; exit 2', { outcome: 'blocked', exitCode: 2, reason: 'no secrets, please' }],
    ['block without a reason', 'exit 2', { outcome: 'blocked', reason: 'The hook gave no reason.' }],
    ['prevent', answer({ continue: false, stopReason: 'office hours are over' }), { outcome: 'prevented', reason: 'office hours are over' }],
    [
      'prevent goes before block',
      answer({ continue: false, stopReason: 'stop', decision: 'block', reason: 'block' }),
      { outcome: 'prevented', reason: 'stop' },
    ],
    [
      'an error',
      'echo "file missing" >&2; exit 1',
      { outcome: 'non_blocking_error', exitCode: 1, stderr: 'file missing\n', reason: 'The hook ended with exit code 1.' },
    ],
    ['JSON counts only with exit code 0', `${answer({ decision: 'block', reason: 'x' })}; exit 1`, { outcome: 'non_blocking_error', exitCode: 1 }],
    ['an unknown command', 'no-such-command-anywhere', { outcome: 'non_blocking_error', exitCode: 127 }],
    ['an incomplete answer', `printf '{"decision": "bl'`, { outcome: 'non_blocking_error', reason: expect.stringContaining('it may be incomplete') }],
    ['a wrong member', answer({ decision: 'maybe' }), { outcome: 'non_blocking_error', reason: expect.stringContaining('decision: ') }],
    ['unknown members only', answer({ extraContext: 'misplaced' }), { outcome: 'non_blocking_error', reason: expect.stringContaining('(extraContext)') }],
    [
      'an answer to another event',
      answer({ hookSpecificOutput: { hookEventName: 'Stop' } }),
      { outcome: 'non_blocking_error', reason: expect.stringContaining('is Stop') },
    ],
  ])('%s', async (_name, command, expected) => {
    expect(await runOne(command)).toMatchObject({ event: 'UserPromptSubmit', hook: { type: 'command', command }, ...expected });
  });

  const specific = (hookEventName: HookEvent, more: object) => answer({ hookSpecificOutput: { hookEventName, ...more } });

  it.each<[HookEvent, string, string, object]>([
    ['UserPromptSubmit', 'a rewrite', specific('UserPromptSubmit', { updatedPrompt: 'better' }), { outcome: 'success', updatedPrompt: 'better' }],
    [
      'UserPromptSubmit',
      'a rewrite to nothing',
      specific('UserPromptSubmit', { updatedPrompt: ' ' }),
      { outcome: 'non_blocking_error', reason: expect.stringContaining('updatedPrompt: must not be blank') },
    ],
    ['SessionStart', 'plain text as context', 'echo hello', { outcome: 'success', additionalContext: 'hello' }],
    ['SessionStart', 'no block', 'echo sorry >&2; exit 2', { outcome: 'non_blocking_error', exitCode: 2, reason: 'sorry' }],
    ['SessionStart', 'no decision', answer({ decision: 'block', reason: 'no' }), { outcome: 'success' }],
    [
      'PreToolUse',
      'allow',
      specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'known' }),
      { outcome: 'success', decision: 'allow', reason: 'known' },
    ],
    [
      'PreToolUse',
      'ask with a changed input',
      specific('PreToolUse', { permissionDecision: 'ask', updatedInput: { command: 'ls -l' } }),
      { decision: 'ask', updatedInput: { command: 'ls -l' } },
    ],
    [
      'PreToolUse',
      'an input with numbers that a double does not hold, as their text',
      `printf '%s' '{"hookSpecificOutput":{"updatedInput":{"id":9007199254740993,"far":1e400,"half":0.5,"text":"9007199254740993 \\" 1e400"}}}'`,
      { updatedInput: { id: '9007199254740993', far: '1e400', half: 0.5, text: '9007199254740993 " 1e400' } },
    ],
    ['PreToolUse', 'defer as ask', specific('PreToolUse', { permissionDecision: 'defer' }), { outcome: 'success', decision: 'ask' }],
    [
      'PreToolUse',
      'deny',
      specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'rm' }),
      { outcome: 'blocked', decision: 'deny', reason: 'rm' },
    ],
    ['PreToolUse', 'deny, by exit code', 'echo rm >&2; exit 2', { outcome: 'blocked', decision: 'deny', reason: 'rm', exitCode: 2 }],
    ['PreToolUse', 'deny in the older form', answer({ decision: 'block', reason: 'rm' }), { outcome: 'blocked', decision: 'deny', reason: 'rm' }],
    ['PreToolUse', 'allow in the older form', answer({ decision: 'approve', reason: 'fine' }), { outcome: 'success', decision: 'allow', reason: 'fine' }],
    [
      'PreToolUse',
      'the newer form before the older',
      answer({ decision: 'approve', hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }),
      { decision: 'deny', reason: 'The hook gave no reason.' },
    ],
    [
      'PreToolUse',
      'an input that is not an object',
      specific('PreToolUse', { updatedInput: ['ls'] }),
      { outcome: 'non_blocking_error', reason: expect.stringContaining('updatedInput: must be an object') },
    ],
    ['PreToolUse', 'context in the short form', answer({ additionalContext: 'careful' }), { outcome: 'success', additionalContext: 'careful' }],
    ['PreToolUse', 'context', specific('PreToolUse', { additionalContext: 'careful' }), { outcome: 'success', additionalContext: 'careful' }],
    ['PreToolUse', 'plain text, which is ignored', 'echo hello', { outcome: 'success', stdout: 'hello\n' }],
    ['PostToolUse', 'feedback', answer({ decision: 'block', reason: 'tests fail' }), { outcome: 'blocked', reason: 'tests fail' }],
    ['PostToolUse', 'feedback by exit code', 'echo lint >&2; exit 2', { outcome: 'blocked', reason: 'lint' }],
    ['PostToolUse', 'context', specific('PostToolUse', { additionalContext: 'formatted' }), { outcome: 'success', additionalContext: 'formatted' }],
    ['Stop', 'continue', answer({ decision: 'block', reason: 'not yet' }), { outcome: 'blocked', reason: 'not yet' }],
    ['Stop', 'end the turn', answer({ continue: false, stopReason: 'lunch', decision: 'block', reason: 'not yet' }), { outcome: 'prevented', reason: 'lunch' }],
    ['PreCompact', 'not now', 'echo "keep it" >&2; exit 2', { outcome: 'blocked', reason: 'keep it' }],
  ])('%s: %s', async (event, _name, command, expected) => {
    const found = await runOne(command, 20, event);
    expect(found).toMatchObject({ event, ...expected });
    const decides = ['decision', 'updatedInput', 'updatedPrompt', 'additionalContext'].filter((member) => member in found);
    expect(decides).toEqual(decides.filter((member) => member in expected));
  });

  it('is read in full when it is JSON, and rejected when it is too long or too deep', async () => {
    const text = 'x'.repeat(ANSWER / 2);
    await writeFile(join(directory, 'long.json'), JSON.stringify({ hookSpecificOutput: { updatedPrompt: text } }));
    expect(await runOne(`cat ${join(directory, 'long.json')}`)).toMatchObject({ outcome: 'success', updatedPrompt: text });
    await writeFile(join(directory, 'longer.json'), JSON.stringify({ hookSpecificOutput: { updatedPrompt: text.repeat(3) } }));
    expect(await runOne(`cat ${join(directory, 'longer.json')}`)).toMatchObject({
      outcome: 'non_blocking_error',
      reason: expect.stringContaining('it is too long'),
    });
    await writeFile(join(directory, 'deep.json'), `{"reason": "[[", "hookSpecificOutput": {"updatedInput": {"a": ${'['.repeat(500)}${']'.repeat(500)}}}}`);
    expect(await runOne(`cat ${join(directory, 'deep.json')}`, 20, 'PreToolUse')).toMatchObject({
      outcome: 'non_blocking_error',
      reason: expect.stringContaining('nested deeper than 200'),
    });
  });

  it('is truncated in the record, with the number of characters left out', async () => {
    const text = await runOne(`head -c 5000 /dev/zero | tr '\\0' x`);
    const notice = '\n[Output cut after 1000 characters: 4000 more were left out]';
    expect(text).toMatchObject({ outcome: 'success', stdout: 'x'.repeat(LIMIT) + notice, additionalContext: 'x'.repeat(LIMIT) + notice });

    const json = await runOne(answer({ hookSpecificOutput: { additionalContext: 'y'.repeat(3_000) } }));
    expect(json.additionalContext).toBe(`${'y'.repeat(LIMIT)}\n[Output cut after 1000 characters: 2000 more were left out]`);

    const beyond = await runOne(`head -c 500000 /dev/zero | tr '\\0' z`);
    expect(beyond.additionalContext).toContain('[Output cut after 1000 characters: 499000 more were left out]');
  });

  it('is not cut inside a surrogate pair', async () => {
    const { stdout } = await runOne(`printf 'a'; i=0; while [ $i -lt 600 ]; do printf '😀'; i=$((i+1)); done`);
    expect(stdout.isWellFormed()).toBe(true);
    expect(stdout).toContain('[Output cut after 999 characters: 202 more were left out]');
  });
});

describe('misbehaving command hooks', () => {
  it('are killed with their descendants at the timeout', async () => {
    const pid = join(directory, 'child');
    let seconds = 0.25;
    // A hook that had no descendant by then shows nothing: it gets more time.
    while (!existsSync(pid)) {
      seconds *= 4;
      const hookRun = await runOne(`sleep 600 & echo $! > ${pid}.new; mv ${pid}.new ${pid}; sleep 600`, seconds);
      expect(hookRun).toMatchObject({ outcome: 'timeout', exitCode: null, reason: `The hook did not end within ${seconds * 1_000} ms and was stopped.` });
    }
    await hasEnded(pid);
  });

  it('are killed when they ignore signals', async () => {
    expect(await runOne(`trap '' TERM INT HUP; while :; do sleep 1; done`, 0.3)).toMatchObject({ outcome: 'timeout' });
  });

  it('are killed at the output limit', async () => {
    const hookRun = await runOne('yes');
    expect(hookRun).toMatchObject({ outcome: 'non_blocking_error', reason: 'The hook printed more than the output limit and was stopped.' });
    expect(hookRun.stdout.length).toBeLessThan(LIMIT + 100);
  });

  it('are reported when they die by a signal', async () => {
    expect(await runOne('kill -SEGV $$')).toMatchObject({ outcome: 'non_blocking_error', exitCode: null, reason: 'The hook was ended by SIGSEGV.' });
  });

  it('do not delay the turn by a descendant that keeps the output open', async () => {
    const pid = join(directory, 'orphan');
    const hookRun = await runOne(`sleep 600 & echo $! > ${pid}; echo done`);
    expect(hookRun).toMatchObject({ outcome: 'success', additionalContext: 'done' });
    await hasEnded(pid);
  });

  it('are killed when their turn is interrupted', async () => {
    const controller = new AbortController();
    const started = join(directory, 'started');
    const running = run(hooksOf([`touch ${started}; sleep 60`]), { signal: controller.signal });
    await runOne(`while [ ! -e ${started} ]; do sleep 0.02; done`);
    controller.abort();
    expect(await running).toMatchObject([{ outcome: 'non_blocking_error', reason: 'The hook was stopped because its turn was interrupted.' }]);
  });

  it('fail to start in a directory that does not exist', async () => {
    const hooks = new MatchingHooks(
      hooksOf(['true']),
      new MemoryTenants(),
      TERMS,
      { directory: join(directory, 'nowhere'), sandbox: null, environment: {}, outputCharacters: LIMIT, answerBytes: ANSWER },
      new SystemClock(),
    );
    const runs = await hooks.run(
      { event: 'UserPromptSubmit', tenantId: 't', sessionId: 's', permissionMode: 'default', input: {} },
      new AbortController().signal,
    );
    expect(runs).toMatchObject([{ outcome: 'non_blocking_error', reason: 'The hook could not be started (ENOENT).' }]);
  });
});

describe('matching', () => {
  const grouped = (matchers: readonly (string | undefined)[]) =>
    parseHooks(
      JSON.stringify({ hooks: { UserPromptSubmit: matchers.map((matcher, index) => ({ matcher, hooks: [{ type: 'command', command: `echo ${index}` }] })) } }),
      'hooks.json',
      { timeoutMs: 60_000, environment: {} },
    );

  it.each([
    [undefined, 'Bash', true],
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    ['Edit|Write', 'NotebookEdit', false],
    ['Notebook.*', 'NotebookEdit', true],
    ['^Write', 'OverWrite', false],
    ['mcp__memory__.*', 'mcp__memory__read', true],
    ['bash', 'Bash', false],
  ])('matcher %p on %p: %p', async (matcher, subject, expected) => {
    expect(await run(grouped([matcher]), { subject })).toHaveLength(expected ? 1 : 0);
  });

  it('runs all concurrently, in the order of the file, and an equal command once', async () => {
    const meeting = (mine: string, other: string) =>
      `touch ${join(directory, mine)}; while [ ! -e ${join(directory, other)} ]; do sleep 0.02; done; echo ${mine}`;
    const runs = await run(hooksOf([meeting('first', 'second'), meeting('second', 'first'), 'echo same', 'echo same']));
    expect(runs.map(({ additionalContext }) => additionalContext)).toEqual(['first', 'second', 'same']);
    expect(new Set(runs.map(({ hookRunId }) => hookRunId)).size).toBe(3);
  });

  it('lists the configured hooks', async () => {
    const hooks = new MatchingHooks(
      hooksOf(['true'], 5),
      new MemoryTenants(),
      TERMS,
      { directory, sandbox: null, environment: {}, outputCharacters: LIMIT, answerBytes: ANSWER },
      new SystemClock(),
    );
    expect(await hooks.configured('t')).toEqual([
      { source: 'deployment', event: 'UserPromptSubmit', matcher: null, type: 'command', command: 'true', timeoutMs: 5_000 },
    ]);
  });
});
