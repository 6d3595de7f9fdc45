import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verdictOf } from '../../../packages/protocol/hooks/verdict.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { decideCall, forbidden } from './decide-call.js';
import { covering, touching, withoutForbidden } from './matching.js';
import { parseRule, ruleBook, ruleFault, NO_RULES, type PermissionRules } from '../../../packages/protocol/permissions/rule.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import { runs } from '../../../test/support/property-runs.js';

const bash = (command: string) => ({ name: 'Bash', input: { command } });
const rules = (...texts: string[]) => texts.map((text) => parseRule(text)!);
const lets = (text: string | readonly string[], call: { name: string; input: Json }): boolean => covering(rules(...[text].flat()), call) !== null;
const stops = (text: string, call: { name: string; input: Json }): boolean => touching(rules(text), call) !== null;

describe('a rule', () => {
  it.each(['Bash', 'Bash(git commit:*)', 'mcp__github', 'mcp__github__*', 'mcp__github__get_issue', 'Edit(/src/**)', 'Bash(echo "(a)")'])(
    '%s can be read',
    (text) => {
      expect(ruleFault(text)).toBeNull();
    },
  );
  it.each(['', '()', 'Bash(', 'Bash()', 'Bash(git', 'a b', 'Ba*', '*', 'x'.repeat(200)])('%s cannot', (text) => {
    expect(ruleFault(text)).toContain('is not a rule');
  });
  it('restricts the whole tool when it cannot be read, and allows nothing', () => {
    const book = ruleBook([['session', { allow: ['Bash(git'], deny: ['Bash(rm'], ask: [] }]]);
    expect(book.allow).toEqual([]);
    expect(touching(book.deny, bash('ls'))).toMatchObject({ text: 'Bash(rm', source: 'session' });
  });
});

describe('rules for commands', () => {
  it.each([
    ['Bash', 'anything && at | all'],
    ['Bash(*)', 'anything; at all'],
    ['Bash(git status)', 'git status'],
    ['Bash(git status)', '  git   status '],
    ['Bash(git status)', 'git status 2>&1'],
    ['Bash(git status)', 'git status >/dev/null 2>&1'],
    ['Bash(git status)', 'git "status"'],
    ['Bash(git commit:*)', 'git commit'],
    ['Bash(git commit:*)', 'git commit -m "one; two && $HOME | three"'],
    ['Bash(git commit *)', "git commit -m 'it''s `fine` $(here)'"],
    ['Bash(git commit:*)', 'git commit && git commit --amend'],
    ['Bash(npm run *:unit)', 'npm run test:unit'],
    ['Bash(a && b)', 'a && b'],
  ])('%s lets through: %s', (rule, command) => expect(lets(rule, bash(command))).toBe(true));

  it.each([
    ['Bash(git status)', 'git status -s'],
    ['Bash(git commit:*)', 'git commits'],
    ['Bash(git commit:*)', 'git'],
    ['Bash(git:*)', 'gitk'],
    ['Bash(git:*)', '"git status"'],
    ['Bash(git status:*)', 'git status && rm -rf /'],
    ['Bash(git status:*)', 'git status; rm x'],
    ['Bash(git status:*)', 'git status | sh'],
    ['Bash(git status:*)', 'git status & rm x'],
    ['Bash(git status:*)', 'git status\nrm x'],
    ['Bash(git status:*)', 'git status $(rm x)'],
    ['Bash(git status:*)', 'git status "$(rm x)"'],
    ['Bash(git status:*)', 'git status `rm x`'],
    ['Bash(git status:*)', 'git status "`rm x`"'],
    ['Bash(git status:*)', 'git status <(rm x)'],
    ['Bash(git status:*)', 'git status > .bashrc'],
    ['Bash(git status:*)', 'git status >/dev/null/../../etc/passwd'],
    ['Bash(git status:*)', 'git status >&1[x'],
    ['Bash(git status:*)', 'git status >&1"x"'],
    ['Bash(git status:*)', 'git status >/dev/null\r'],
    ['Bash(git status:*)', 'git status <<X\n$(rm x)\nX'],
    ['Bash(git status:*)', "git status # '\nrm x #'"],
    ['Bash(git status:*)', "git status $'\\'' ; rm x #'"],
    ['Bash(git status:*)', 'git status ${X@P}'],
    ['Bash(git status:*)', "git status '"],
    ['Bash(git status:*)', 'git status "'],
    ['Bash(git status:*)', 'git status \\'],
    ['Bash(git status:*)', 'LD_PRELOAD=x git status'],
    ['Bash(git status:*)', '(git status)'],
    ['Bash(git status:*)', ''],
    ['Bash(git * main)', 'git push main && x'],
  ])('%s does not let through: %s', (rule, command) => expect(lets(rule, bash(command))).toBe(false));

  it('let a compound command through when they cover each part between them', () => {
    expect(lets(['Bash(git status)', 'Bash(npm test:*)'], bash('git status && npm test -- -t x || git status'))).toBe(true);
    expect(lets(['Bash(git status)', 'Bash(npm test:*)'], bash('git status && npm install'))).toBe(false);
  });

  it.each([
    'rm x',
    'ls; rm x',
    'ls && rm x',
    'ls | rm x',
    'ls\nrm x',
    '$(rm x)',
    'echo "$(rm x)"',
    'echo `rm x`',
    '(rm x)',
    '{ rm x; }',
    'X=1 rm x',
    'sudo rm x',
    'sudo -u root rm x',
    'env A=1 rm x',
    'timeout 5 rm x',
    'find . -exec rm {} ;',
    'xargs -n1 rm',
    '/bin/rm x',
    'sudo /bin/rm x',
    '"rm" x',
    "r'm' x",
    'r\\m x',
    'bash -c "rm x"',
    "sh -c 'ls; rm x'",
    'eval rm x',
    'eval "ls; rm x"',
    'if true; then rm x; fi',
    'cat <<X | rm x\nX',
    'ls # comment\nrm x',
    'rm x > /dev/null',
    'bash -c "bash -c \'rm x\'"',
    'f() { rm x; }; f',
    'rm$x y',
    '$x rm y',
    'rm* y',
    '>file rm x',
  ])('a ban of rm finds it in: %s', (command) => expect(stops('Bash(rm:*)', bash(command))).toBe(true));

  it.each(['ls', 'echo rm', 'git commit -m "rm the file; done"', 'rmdir x', 'npm run rm', 'git rm x'])('a ban of rm leaves alone: %s', (command) => {
    expect(stops('Bash(rm:*)', bash(command))).toBe(false);
  });

  it('take time in line with the length of the command', () => {
    const command = `xargs ${'a '.repeat(50_000)}`;
    for (const pattern of ['Bash(rm:*)', 'Bash(rm * x)', 'Bash(rm)']) expect(stops(pattern, bash(command))).toBe(false);
    expect(stops('Bash(a*a*a*a*b)', bash('a'.repeat(20_000)))).toBe(false);
  });

  const words = fc.stringMatching(/^[a-z./-]{1,6}$/);
  const glue = fc.constantFrom(' && ', ' || ', ';', ' ; ', '|', ' | ', '&', '\n', ' |& ');
  it('never let a forbidden part hide among allowed ones, however they are joined', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, glue), { maxLength: 5 }), fc.nat(5), glue, (parts, place, joint) => {
        const commands = parts.flatMap(([argument, between]) => [`ok ${argument}`, between]);
        commands.splice(Math.min(place, parts.length) * 2, 0, 'evil x', joint);
        const command = commands.join('');
        expect(lets('Bash(ok:*)', bash(command))).toBe(false);
        expect(stops('Bash(evil:*)', bash(command))).toBe(true);
      }),
    );
  });

  it('let nothing through that holds a substitution at any position', () => {
    const wrap = fc.constantFrom('$(evil)', '`evil`', '"$(evil)"', '"`evil`"', '<(evil)', '>(evil)', '"a$(evil)b"', '${x:-$(evil)}', '$((x[$(evil)]))');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 4 }), wrap, fc.array(words, { maxLength: 4 }), (before, middle, after) => {
        const command = ['ok', ...before, middle, ...after].join(' ');
        expect(lets('Bash(ok:*)', bash(command))).toBe(false);
        expect(stops('Bash(evil:*)', bash(command))).toBe(true);
      }),
    );
  });

  it('agree on any text: what is let through is seen by a ban of the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab \t\n;&|<>()$`\'"\\#{}=*'), maxLength: 24 }), (text) => {
        if (lets('Bash(a:*)', bash(text))) expect(stops('Bash(a:*)', bash(text))).toBe(true);
      }),
      runs(2_000),
    );
  });
});

describe('rules for files', () => {
  const edit = (file_path: string) => ({ name: 'Edit', input: { file_path } });
  it.each([
    ['Edit', 'anything'],
    ['Edit(src/**)', 'src/a/b.ts'],
    ['Edit(/src/**)', './src/a.ts'],
    ['Edit(src)', 'src/a/b.ts'],
    ['Edit(*.ts)', 'deep/in/a.ts'],
    ['Edit(src/*.ts)', 'src/a.ts'],
    ['Edit(src/**/b.ts)', 'src/b.ts'],
    ['Edit(//etc/**)', '/etc/hosts'],
    ['Edit(src/**)', 'src/x/../a.ts'],
  ])('%s lets through %s', (rule, path) => expect(lets(rule, edit(path))).toBe(true));
  it.each([
    ['Edit(src/**)', 'src/../a.ts'],
    ['Edit(src/**)', '../src/a.ts'],
    ['Edit(src/**)', '/src/a.ts'],
    ['Edit(src/**)', 'lib/src/a.ts'],
    ['Edit(src/*.ts)', 'src/a/b.ts'],
    ['Edit(**)', '../x'],
    ['Edit(**)', '/etc/passwd'],
    ['Edit(**)', '~/x'],
    ['Read(**)', 'a'],
  ])('%s does not let through %s', (rule, path) => expect(lets(rule, edit(path))).toBe(false));
  it.each([
    ['Read(.env)', '.env'],
    ['Read(.env)', 'a/b/.env'],
    ['Read(.env)', '/srv/folder/.env'],
    ['Read(secrets/**)', 'x/../secrets/key'],
    ['Read(secrets/**)', '/srv/folder/secrets/key'],
    ['Read(secrets/**)', '../folder/secrets/key'],
    ['Read(~/.ssh/**)', '/home/me/.ssh/id'],
  ])('%s as a ban finds %s', (rule, path) => expect(stops(rule, { name: 'Read', input: { file_path: path } })).toBe(true));
  it('for one tool mean its relatives', () => {
    expect(stops('Edit(x)', { name: 'Write', input: { file_path: 'x' } })).toBe(true);
    expect(stops('Read(secrets)', { name: 'Grep', input: { pattern: 'x', path: 'secrets' } })).toBe(true);
    expect(stops('Read(secrets)', { name: 'Glob', input: { pattern: 'secrets/*' } })).toBe(true);
    expect(stops('Read(secrets)', { name: 'Grep', input: { pattern: 'x', glob: 'secrets/**' } })).toBe(true);
    expect(stops('Write', edit('x'))).toBe(false);
  });
  it('ban a call whose path cannot be read, and allow none', () => {
    expect(stops('Edit(x)', { name: 'Edit', input: { file_path: 1 } })).toBe(true);
    expect(lets('Edit(x)', { name: 'Edit', input: {} })).toBe(false);
  });
});

describe('rules for other tools', () => {
  it('mean all tools of a server, or one', () => {
    const call = { name: 'mcp__github__get_issue', input: {} };
    expect(['mcp__github', 'mcp__github__*', 'mcp__github__get_issue', 'mcp__github__get_*'].every((rule) => lets(rule, call))).toBe(true);
    expect(['mcp__git', 'mcp__github__get', 'mcp__gitlab'].some((rule) => lets(rule, call))).toBe(false);
  });
  it('with an unreadable pattern: a deny rule covers every call, an allow rule none', () => {
    expect(stops('Other(x)', { name: 'Other', input: {} })).toBe(true);
    expect(lets('Other(x)', { name: 'Other', input: { x: 'x' } })).toBe(false);
  });
  it('name skills', () => {
    expect(lets('Skill(commit)', { name: 'Skill', input: { name: 'commit' } })).toBe(true);
    expect(lets('Skill(review:*)', { name: 'Skill', input: { skill: 'review-pr' } })).toBe(true);
    expect(lets('Skill(commit)', { name: 'Skill', input: { skill: 'commits' } })).toBe(false);
  });
  it('take tools away that are forbidden wholly, and only those', () => {
    const tools = ['Bash', 'Read', 'Grep', 'mcp__a__x', 'mcp__b__y'].map((name) => ({ name }));
    const left = withoutForbidden(tools, rules('Bash(rm:*)', 'Read', 'mcp__a')).map(({ name }) => name);
    expect(left).toEqual(['Bash', 'mcp__b__y']);
  });
});

describe('what becomes of a call', () => {
  const TOOLS = { read: 'Look', edit: 'Change', run: 'Bash' } as const;
  const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions'];
  const run = (said: Partial<HookRun>): HookRun => ({
    hookRunId: 'h',
    event: 'PreToolUse',
    hook: { type: 'command' },
    input: {},
    outcome: 'success',
    exitCode: 0,
    durationMs: 1,
    stdout: '',
    stderr: '',
    ...said,
  });
  const outcome = (effect: keyof typeof TOOLS, mode: PermissionMode, given: Partial<PermissionRules> = {}, ...runs: HookRun[]) => {
    const question = {
      tool: { name: TOOLS[effect], effect },
      input: { command: 'git status' },
      mode,
      rules: ruleBook([['session', { ...NO_RULES, ...given }]]),
    };
    return decideCall(question, { runs, verdict: verdictOf(runs) });
  };

  it.each([
    ['default', 'allow', 'ask', 'ask'],
    ['acceptEdits', 'allow', 'allow', 'ask'],
    ['plan', 'allow', 'ask', 'ask'],
    ['bypassPermissions', 'allow', 'allow', 'allow'],
  ] as const)('in mode %s: read %s, edit %s, run %s', (mode, read, edit, runs) => {
    expect([outcome('read', mode), outcome('edit', mode), outcome('run', mode)].map(({ decision }) => decision)).toEqual([read, edit, runs]);
    expect(outcome('run', mode).by).toEqual({ kind: 'mode', mode });
  });

  it('follows a rule, and says which', () => {
    expect(outcome('run', 'default', { allow: ['Bash(git:*)'] })).toMatchObject({
      decision: 'allow',
      by: { kind: 'rule', rule: 'Bash(git:*)', source: 'session' },
    });
    expect(outcome('run', 'bypassPermissions', { ask: ['Bash(git:*)'], allow: ['Bash'] })).toMatchObject({
      decision: 'ask',
      by: { kind: 'rule', rule: 'Bash(git:*)' },
    });
  });

  it('follows a hook: no before ask before yes', () => {
    const [deny, ask, allow] = (['deny', 'ask', 'allow'] as const).map((decision) => run({ hookRunId: decision, decision, reason: decision })) as [
      HookRun,
      HookRun,
      HookRun,
    ];
    expect(outcome('run', 'default', {}, allow)).toMatchObject({ decision: 'allow', by: { kind: 'hook', hookRunId: 'allow' } });
    expect(outcome('run', 'bypassPermissions', {}, allow, ask)).toMatchObject({ decision: 'ask', by: { kind: 'hook', hookRunId: 'ask' }, reason: 'ask' });
    expect(outcome('run', 'bypassPermissions', { allow: ['Bash'] }, allow, ask, deny)).toMatchObject({
      decision: 'deny',
      by: { kind: 'hook', hookRunId: 'deny' },
      reason: 'deny',
    });
    expect(outcome('run', 'default', {}, run({ outcome: 'blocked', reason: 'exit 2' }))).toMatchObject({ decision: 'deny', reason: 'exit 2' });
  });

  it('in plan mode only a person lets a change through', () => {
    expect(outcome('run', 'plan', { allow: ['Bash'] }, run({ decision: 'allow' })).decision).toBe('ask');
  });

  it('never goes past a ban, whatever mode, hooks and other rules say', () => {
    const said = fc.constantFrom<Partial<HookRun>>({}, { decision: 'allow' }, { decision: 'ask' }, { outcome: 'non_blocking_error' });
    fc.assert(
      fc.property(
        fc.constantFrom(...MODES),
        fc.constantFrom<keyof typeof TOOLS>('read', 'edit', 'run'),
        fc.array(said, { maxLength: 3 }),
        fc.boolean(),
        (mode, effect, hooks, asked) => {
          const given = { deny: [TOOLS[effect]], allow: [TOOLS[effect]], ask: asked ? [TOOLS[effect]] : [] };
          expect(outcome(effect, mode, given, ...hooks.map(run)).decision).toBe('deny');
        },
      ),
    );
  });

  it('looks at the input a hook has made of it', () => {
    const book = ruleBook([['deployment', { ...NO_RULES, deny: ['Bash(rm:*)'] }]]);
    expect(forbidden({ tool: { name: 'Bash' }, input: { command: 'rm x' }, rules: book })).toMatchObject({ by: { source: 'deployment' } });
    expect(forbidden({ tool: { name: 'Bash' }, input: { command: 'ls' }, rules: book })).toBeNull();
  });
});
