import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { call, ClaudeFile, nameOf, text } from '../../../test/support/claude-file.js';
import { planned } from '../../../test/support/planned-import.js';

const SUMMARY = 'This session is being continued from a previous conversation that ran out of context.';

const talk = (): ClaudeFile => new ClaudeFile().user('u1', null, 'first').piece('a1', 'u1', 'm', text('one'));

/** Short names of the messages from the root to the head; `-` for a boundary that no line has. */
const names = (file: ClaudeFile): readonly string[] => planned(file.text).path.map(label);
/** The same of the context that the model gets. */
const context = (file: ClaudeFile): readonly string[] => planned(file.text).sent.map(label);
const label = ({ uuid, type }: { readonly uuid: string; readonly type: string }): string =>
  type === 'system' && !/^\w+$/.test(nameOf(uuid)) ? '-' : nameOf(uuid);

describe('interleaved answers', () => {
  it('keep all calls and results on the branch', () => {
    const file = new ClaudeFile()
      .user('u1', null, 'go')
      .piece('a1', 'u1', 'm1', text('one'))
      .piece('b1', 'a1', 'm2', call('tB'))
      .result('rb', 'b1', 'tB', 'b')
      .piece('a2', 'rb', 'm1', call('tA'))
      .result('ra', 'a2', 'tA', 'a')
      .piece('c1', 'ra', 'm3', text('done'));
    expect(names(file)).toEqual(['u1', 'a1', 'b1', 'rb', 'ra', 'c1']);
  });

  it('that do not descend from the first line of the message leave its place unchanged', () => {
    const file = talk().user('u2', 'a1', 'other branch').piece('b1', 'u1', 'n', text('x')).piece('b2', 'u2', 'n', call('t')).result('r', 'b2', 't', 'ok');
    expect(names(file)).toEqual(['u1', 'b1', 'r']);
  });
});

describe('the active branch', () => {
  const rewound = (): ClaudeFile => talk().user('u2', 'a1', 'rewound').piece('b1', 'u2', 'n', text('gone'));

  it('ends at the leaf of an explicit last-prompt line', () => {
    expect(names(rewound().state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') }))).toEqual(['u1', 'a1']);
  });

  it('keeps what the file has below that leaf where it is', () => {
    const file = rewound().state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') });
    const { state, plan, beside } = planned(file.text);
    expect(beside.map(({ uuid, parentUuid }) => [nameOf(uuid), nameOf(parentUuid ?? '')])).toEqual([
      ['u2', 'a1'],
      ['b1', 'u2'],
    ]);
    expect(state.head).toBe(plan.head);
    expect(plan.report.moves).toBe(0); // its line is retained
  });

  it('has the permission mode of the branch that it returns to', () => {
    const file = new ClaudeFile()
      .user('u1', null, 'first', { permissionMode: 'plan' })
      .piece('a1', 'u1', 'm', text('one'))
      .user('u2', 'a1', 'rewound', { permissionMode: 'bypassPermissions' })
      .state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') });
    expect(planned(file.text).state.settings.permissionMode).toBe('plan');
  });

  it('keeps the tree of the file for each message that it can be rewound to', () => {
    const tree = fc
      .array(fc.nat(), { minLength: 1, maxLength: 12 })
      .chain((parents) => fc.record({ parents: fc.constant(parents), leaf: fc.nat({ max: parents.length - 1 }) }));
    fc.assert(
      fc.property(tree, ({ parents, leaf }) => {
        const file = new ClaudeFile();
        const parentOf = parents.map((any, at) => (at === 0 ? null : `n${any % at}`));
        parentOf.forEach((parent, at) =>
          at % 2 === 0 ? file.user(`n${at}`, parent, `prompt ${at}`) : file.piece(`n${at}`, parent, `m${at}`, text(`answer ${at}`)),
        );
        const { state, plan } = planned(file.state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid(`n${leaf}`) }).text);
        expect(state.messages.size).toBe(parents.length);
        for (const [uuid, { message }] of state.messages)
          expect([nameOf(uuid), message.parentUuid && nameOf(message.parentUuid)]).toEqual([nameOf(uuid), parentOf[Number(nameOf(uuid).slice(1))]]);
        expect(state.head).toBe(plan.head);
        expect(nameOf(state.head!)).toBe(`n${leaf}`);
      }),
    );
  });

  it('ends at the newest message below that leaf', () => {
    const file = rewound().state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') });
    expect(names(file.user('u3', 'a1', 'instead').piece('c1', 'u3', 'o', text('stays')).user('u4', 'b1', 'other process'))).toEqual(['u1', 'a1', 'u3', 'c1']);
  });

  it('follows the last of several explicit lines', () => {
    const file = rewound().state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('u1') });
    expect(names(file.state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') }))).toEqual(['u1', 'a1']);
  });

  it.each([
    ['that is ordinary', { leafUuid: ClaudeFile.uuid('a1') }],
    ['with an empty leaf', { explicit: true, leafUuid: '' }],
  ])('ends at the newest message after a later line %s', (_, fields) => {
    const file = rewound()
      .state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('a1') })
      .state('last-prompt', fields);
    expect(names(file)).toEqual(['u1', 'a1', 'u2', 'b1']);
  });

  it('is empty for the model after an explicit last-prompt line without a leaf', () => {
    const file = rewound().state('last-prompt', { explicit: true, leafUuid: null });
    expect(context(file)).toEqual(['-']);
    expect(names(file)).toEqual(['u1', 'a1', 'u2', 'b1', '-']);
    expect(context(file.user('u3', null, 'afresh'))).toEqual(['-', 'u3']);
  });

  it.each([
    ['not explicit', { leafUuid: ClaudeFile.uuid('a1') }],
    ['of an unknown leaf', { explicit: true, leafUuid: ClaudeFile.uuid('zz') }],
    ['without leafUuid', { explicit: true }],
  ])('ignores a last-prompt line that is %s', (_, fields) => {
    expect(names(rewound().state('last-prompt', fields))).toEqual(['u1', 'a1', 'u2', 'b1']);
  });

  it.each([
    [
      'user lines',
      (file: ClaudeFile) => file.user('x1', 'a1', '<command-name>/exit</command-name>').user('x2', 'x1', '<local-command-stdout>Bye</local-command-stdout>'),
    ],
    ['a system line', (file: ClaudeFile) => file.line('system', 'x1', 'a1', { subtype: 'local_command', content: '<command-name>/exit</command-name>' })],
  ])('is not changed by a local command of another process, as %s', (_, exit) => {
    expect(names(exit(rewound()))).toEqual(['u1', 'a1', 'u2', 'b1']);
  });

  it('includes local commands after its last message', () => {
    const file = talk().user('x1', 'a1', '<command-name>/cost</command-name>').user('x2', 'x1', '<local-command-stdout>1</local-command-stdout>');
    expect(names(file)).toEqual(['u1', 'a1', 'x1', 'x2']);
  });

  it('is not changed by a late result on another branch', () => {
    const file = talk().piece('a2', 'a1', 'm', call('t1')).user('u2', 'u1', 'instead').piece('b1', 'u2', 'n', text('two')).result('r1', 'a2', 't1', 'late');
    expect(names(file)).toEqual(['u1', 'u2', 'b1']);
  });
});

describe('history before a new root', () => {
  it('stays visible before a compaction summary without a boundary, and is not sent', () => {
    const file = talk().user('s', null, SUMMARY).piece('b1', 's', 'n', text('two'));
    expect(names(file)).toEqual(['u1', 'a1', '-', 's', 'b1']);
    expect(context(file)).toEqual(['-', 's', 'b1']);
    const { path } = planned(file.text);
    expect(path[2]).toMatchObject({ type: 'system', subtype: 'compact_boundary', timestamp: '2026-01-01T00:00:02.000Z' });
    expect(path[3]).toMatchObject({ isCompactSummary: true });
  });

  it('stays visible before a conversation that starts again, and is not sent', () => {
    const file = talk().user('u2', null, 'again').piece('b1', 'u2', 'n', text('two')).line('progress', 'p', null, {}).user('u3', 'p', 'third');
    expect(names(file)).toEqual(['u1', 'a1', '-', 'u2', 'b1', '-', 'u3']);
    expect(context(file)).toEqual(['-', 'u3']);
  });

  it('is not added before a root without earlier prompts or answers', () => {
    const file = new ClaudeFile().line('attachment', 'x', null, { attachment: { type: 'date_change' } }).user('u1', null, 'first');
    expect(names(file)).toEqual(['u1']);
  });

  it('is joined for any number of roots, in the order of the lines', () => {
    const file = talk();
    for (let n = 0; n < 300; n += 1) file.user(`r${n}`, null, 'again');
    expect(names(file).filter((name) => name !== '-')).toEqual(['u1', 'a1', ...Array.from({ length: 300 }, (_, n) => `r${n}`)]);
  });
});

describe('an answer beside the branch', () => {
  const asked = (): ClaudeFile => new ClaudeFile().user('u1', null, 'question');
  const after = (file: ClaudeFile, parent: string): ClaudeFile => file.user('u9', parent, 'next').piece('a9', 'u9', 'm9', text('last'), { stop: 'end_turn' });

  it.each([
    ['below progress', after(asked().line('progress', 'p1', 'u1', { data: {} }).piece('a1', 'p1', 'm1', text('lost')), 'u1')],
    ['that was cut off and tried again', after(asked().piece('a1', 'u1', 'm1', text('lost')).piece('a2', 'u1', 'm2', text('kept')), 'a2')],
    [
      'that is an error of the API',
      after(
        asked().piece('a1', 'u1', 'x', text('API Error: 529'), { isApiErrorMessage: true, model: '<synthetic>' }).piece('a2', 'u1', 'm2', text('kept')),
        'a2',
      ),
    ],
    [
      'of a retry',
      after(
        asked()
          .piece('a0', 'u1', 'm0', call('t1'), { stop: 'tool_use' })
          .result('r1', 'a0', 't1', 'one')
          .line('system', 'e1', 'r1', { subtype: 'api_error', content: 'overloaded' })
          .piece('a1', 'e1', 'm1', text('lost')),
        'r1',
      ),
    ],
  ])('%s is stored, and listed by its uuid', (_, file) => {
    const { plan, path, beside } = planned(file.text);
    expect(path.map(({ uuid }) => nameOf(uuid))).not.toContain('a1');
    expect(beside.map(({ uuid }) => nameOf(uuid))).toContain('a1');
    expect(plan.report.offBranch.map(nameOf)).toEqual(beside.map(({ uuid }) => nameOf(uuid)));
    expect(plan.report.offBranchTotal).toBe(beside.length);
  });
});

describe('a file with only sidechain lines', () => {
  const agent = (): ClaudeFile =>
    new ClaudeFile()
      .user('u1', null, 'task', { isSidechain: true, agentId: 'a5' })
      .line('progress', 'p1', 'u1', { isSidechain: true })
      .piece('a1', 'p1', 'm', call('t1'), { isSidechain: true })
      .result('r1', 'a1', 't1', 'ok', { isSidechain: true });

  it('is its own session', () => {
    expect(names(agent())).toEqual(['u1', 'a1', 'r1']);
    expect(planned(agent().text).plan.report.retained).toEqual({ progress: 1 });
  });

  it('is retained and not sent beside a main conversation', () => {
    const file = agent().user('m1', null, 'main');
    expect(names(file)).toEqual(['m1']);
    expect(planned(file.text).plan.report.retained).toEqual({ sidechain: 4 });
  });
});

describe('a file of another agent', () => {
  const line = (type: string, more: object): string =>
    JSON.stringify({ uuid: 'a', parentUuid: null, sessionId: 's', cwd: '/x', version: '0.5', type, ...more });

  it('gives no messages', () => {
    const file = new ClaudeFile()
      .raw(line('user', { message: { role: 'user', parts: [{ text: 'hello' }] } }))
      .raw(line('assistant', { model: 'qwen3-coder', message: { role: 'model', parts: [{ text: 'hi' }] } }))
      .raw(line('system', { subtype: 'ui_telemetry', systemPayload: {} }))
      .raw(line('attachment', { attachment: { type: 'file' } }));
    const { report } = planned(file.text).plan;
    expect(report.messages).toBe(0);
    expect(report.skipped[0]).toMatchObject({ line: 1, reason: expect.stringContaining('parts') });
  });
});
