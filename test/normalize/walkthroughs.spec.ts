import { describe, expect, it } from '@jest/globals';
import type { PayloadInput } from '../../packages/normalizer/build-payload.js';
import { comparePrefix } from '../../packages/normalizer/prefix.js';
import { assistant, attachment, call, conversation, type Entry, result, system, text, user, view } from '../support/normalize/build.js';
import { DEFAULT_NORMALIZE_GATES } from '../../packages/protocol/gates.js';

const FOLDING = { ...DEFAULT_NORMALIZE_GATES, 'system-reminder-folding': true };
const MARKER = { cache_control: { type: 'ephemeral' } };
const INTRODUCTION = 'Background for this conversation. Use it where it helps with what the user asks; do not answer it by itself.';

const reminder = (told: string): string => `<system-reminder>\n${told}\n</system-reminder>`;
const hook = (hookName: string, ...content: readonly string[]): Entry => attachment('hook_additional_context', { hookName, content });
const told = (hookName: string, said: string): string => reminder(`${hookName} hook additional context: ${said}`);
const meta = (content: string | readonly object[]): Entry => user(content as object[], { isMeta: true });

const SETTINGS: Partial<PayloadInput> = {
  system: 'You help with a repository.',
  systemContext: { status: 'M README.md', date: '2000-01-02' },
  context: { conventions: '- Tests first\n- Sign every commit', today: '2000-01-02' },
  tools: [
    { name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object' } },
    { name: 'Skill', description: 'Follows written steps.', input_schema: { type: 'object' } },
  ],
};

/** What stands around the messages, the same in both: after the system prompt its values, and one marker, since the tools precede it. */
const around = {
  model: 'claude-sonnet-5-5',
  max_tokens: 1_000,
  stream: true,
  system: [{ ...text('You help with a repository.\n\nstatus: M README.md\ndate: 2000-01-02'), ...MARKER }],
  tools: SETTINGS.tools,
};
const context = text(`${reminder(`${INTRODUCTION}\n\n# conventions\n- Tests first\n- Sign every commit\n\n# today\n2000-01-02`)}\n`);
const STEPS = 'Base directory for this skill: /skills/commit\n\n# Commit\n\n1. Look at what is staged.\n2. Say in one line why.\n3. Commit.';

function expectPayload(entries: readonly Entry[], changes: Partial<PayloadInput>, messages: readonly object[]): void {
  const { payload, body } = view(conversation(...entries), { ...SETTINGS, ...changes });
  expect(payload).toEqual({ ...around, messages });
  expect(body).toBe(JSON.stringify(payload));
}

describe('the model calls the Skill tool, with a hook before and one after', () => {
  const asked = [user('commit my fix of the README')];
  const skill = call('toolu_01', { name: 'commit' }, 'Skill');
  const stored = [
    ...asked,
    assistant('msg_1', [text('I follow the skill.'), skill]),
    hook('PreToolUse:Skill', 'Look at what is staged before anything else'),
    meta([result('toolu_01', 'Launching skill: commit')]),
    meta(STEPS),
    attachment('command_permissions', { allowedTools: ['Bash(git commit:*)'] }),
    hook('PostToolUse:Skill', 'The skill was read'),
  ];
  const before = told('PreToolUse:Skill', 'Look at what is staged before anything else');
  const after = told('PostToolUse:Skill', 'The skill was read');
  const opening = [
    { role: 'user', content: [context, { ...text('commit my fix of the README'), ...MARKER }] },
    { role: 'assistant', content: [text('I follow the skill.'), skill] },
  ];

  it('puts both reminders into the result, that of the later hook first; the steps stay beside it', () => {
    expectPayload(stored, { gates: FOLDING }, [
      ...opening,
      { role: 'user', content: [result('toolu_01', `Launching skill: commit\n\n${after}\n\n${before}`), { ...text(STEPS), ...MARKER }] },
    ]);
  });

  it('without folding leaves them after the result, in order of arrival', () => {
    expectPayload(stored, {}, [
      ...opening,
      { role: 'user', content: [result('toolu_01', 'Launching skill: commit'), text(before), text(`\n${after}`), { ...text(`\n${STEPS}`), ...MARKER }] },
    ]);
  });

  it('says which pass put each reminder where it is, and who took the permissions out', () => {
    const messages = conversation(...stored);
    const { trace } = view(messages, { ...SETTINGS, gates: FOLDING });
    const of = (index: number) =>
      trace.filter(({ source }) => source?.uuid === messages[index]?.uuid).map(({ action, pass, target }) => [action, pass, target]);
    const inResult = { message: 2, block: 0 };
    expect(of(2)).toContainEqual(['merged', 'fold-remaining-reminders', inResult]);
    expect(of(6)).toContainEqual(['merged', 'fold-following-reminders', inResult]);
    expect(of(5)).toContainEqual(['dropped', 'attachments-to-user', null]);
    expect(of(1)).toEqual([
      ['kept', 'none', { message: 1, block: 0 }],
      ['kept', 'none', { message: 1, block: 1 }],
    ]);
  });

  it.each([
    ['with', FOLDING],
    ['without', DEFAULT_NORMALIZE_GATES],
  ])('%s folding, the second request begins with the first', (_with, gates) => {
    const [first, second] = [asked, stored].map((entries) => view(conversation(...entries), { ...SETTINGS, gates }).prefixDigests);
    expect(first && second && comparePrefix(first, second)).toEqual({ shared: 1 });
  });
});

describe('the user types /commit, with a hook before and one after the command that it leads to', () => {
  const header = '<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>a typo in the README</command-args>';
  const steps = `${STEPS}\n\nARGUMENTS: a typo in the README`;
  const bash = call('toolu_01ABC', { command: "git commit -am 'Mend a typo'", description: 'Commits the typo' }, 'Bash');
  const output = '[main abc1234] Mend a typo\n 1 file changed, 1 insertion(+), 1 deletion(-)';
  const before = told('PreToolUse:Bash', 'Commits are signed here');
  const after = told('PostToolUse:Bash', 'Status:\n## main');
  const stored = [
    user(header),
    meta(steps),
    attachment('command_permissions', { allowedTools: ['Bash(git commit:*)'], model: null }),
    assistant('msg_1', [text('I commit it.')]),
    assistant('msg_1', [bash]),
    hook('PreToolUse:Bash', 'Commits are signed here'),
    meta([result('toolu_01ABC', output)]),
    hook('PostToolUse:Bash', 'Status:', '## main'),
  ];
  const opening = [
    { role: 'user', content: [context, text(header), { ...text(`\n${steps}`), ...MARKER }] },
    { role: 'assistant', content: [text('I commit it.'), bash] },
  ];

  it('is three messages, with everything the hooks said in the result', () => {
    expectPayload(stored, { gates: FOLDING }, [
      ...opening,
      { role: 'user', content: [{ ...result('toolu_01ABC', `${output}\n\n${after}\n\n${before}`), ...MARKER }] },
    ]);
  });

  it('without folding is three messages too', () => {
    expectPayload(stored, {}, [...opening, { role: 'user', content: [result('toolu_01ABC', output), text(before), { ...text(`\n${after}`), ...MARKER }] }]);
  });

  it('a command typed is told from its steps typed by the header alone', () => {
    const [typed, invoked] = [conversation(user(steps)), conversation(user(header), meta(steps))].map(
      (messages) => view(messages, { cacheMarkers: false }).payload.messages,
    );
    expect(typed).toEqual([{ role: 'user', content: [text(steps)] }]);
    expect(invoked).toEqual([{ role: 'user', content: [text(header), text(`\n${steps}`)] }]);
  });
});

describe('a file is read, a command runs here, and a memory is attached', () => {
  const stored = [
    user('Read the README for me.'),
    assistant('msg_1', [text('I read it.'), call('tu_01', { file_path: 'README.md' })]),
    meta([result('tu_01', '# Notes\n…')]),
    { type: 'progress', toolUseId: 'tu_01', data: { lines: 2 } } as const,
    system('local_command', '$ ls\nREADME.md'),
    system('informational', 'Two files were opened.'),
    attachment('memory', { content: 'The user likes short answers.' }),
    { type: 'tombstone', removed: [] } as const,
    user('seen by readers only', { isVirtual: true }),
  ];
  const memory = reminder('What was remembered from earlier conversations and may matter here:\nThe user likes short answers.');
  const opening = [
    { role: 'user', content: [text('Read the README for me.')] },
    { role: 'assistant', content: [text('I read it.'), call('tu_01', { file_path: 'README.md' })] },
  ];
  const messages = (gates = DEFAULT_NORMALIZE_GATES) => view(conversation(...stored), { gates, cacheMarkers: false }).payload.messages;

  it('is three messages: the result first, what was attached, then the output of the command', () => {
    expect(messages()).toEqual([...opening, { role: 'user', content: [result('tu_01', '# Notes\n…'), text(memory), text('\n$ ls\nREADME.md')] }]);
  });

  it('with folding the memory is part of the result, the output is the user’s still', () => {
    expect(messages(FOLDING)).toEqual([...opening, { role: 'user', content: [result('tu_01', `# Notes\n…\n\n${memory}`), text('$ ls\nREADME.md')] }]);
  });
});
