import { describe, expect, it } from '@jest/globals';
import { call, ClaudeFile, nameOf, text, thinking } from '../../../test/support/claude-file.js';
import { planned, SETTINGS } from '../../../test/support/planned-import.js';
import { freshUuid } from './plan.js';

const one = (): ClaudeFile => new ClaudeFile().user('u1', null, 'first');
/** Short names of the messages from the root to the head, and of all others. */
const names = (file: ClaudeFile): readonly string[] => planned(file.text).path.map(({ uuid }) => nameOf(uuid));
const beside = (file: ClaudeFile): readonly string[] =>
  planned(file.text).beside.map(({ uuid, parentUuid }) => `${parentUuid === null ? '-' : nameOf(parentUuid)}>${nameOf(uuid)}`);

describe('lines of one answer', () => {
  it('become one message with the uuid of the first and the stop reason of the last', () => {
    const file = one()
      .piece('a1', 'u1', 'm', thinking('hm'))
      .piece('a2', 'a1', 'm', text('so'))
      .piece('a3', 'a2', 'm', call('t1'), { stop: 'tool_use' })
      .result('r1', 'a3', 't1', 'ok');
    const { path } = planned(file.text);
    expect(path).toHaveLength(3);
    expect(path[1]).toMatchObject({
      uuid: ClaudeFile.uuid('a1'),
      message: { id: 'm', stop_reason: 'tool_use', content: [thinking('hm'), text('so'), call('t1')] },
      providerRequestId: 'req_m',
    });
    expect(path[2]).toMatchObject({ parentUuid: ClaudeFile.uuid('a1'), toolUseResult: { stdout: 'ok' } });
  });

  it('become several messages when a prompt is in between, or when the message would be too large', () => {
    const file = one().piece('a1', 'u1', 'm', text('one')).user('u2', 'a1', 'second').piece('a2', 'u2', 'm', text('two'));
    expect(names(file)).toEqual(['u1', 'a1', 'u2', 'a2']);
    const large = one()
      .piece('a1', 'u1', 'm', text('x'.repeat(600)))
      .piece('a2', 'a1', 'm', text('y'.repeat(600)));
    expect(planned(large.text, { maxMessageBytes: 1_500 }).path).toHaveLength(3);
    expect(planned(large.text, { maxMessageBytes: 3_000 }).path).toHaveLength(2);
  });

  it('are merged when another answer is in between', () => {
    const file = one()
      .piece('a1', 'u1', 'm', text('one'))
      .piece('b1', 'a1', 'n', text('between'))
      .piece('a2', 'b1', 'm', call('t1'))
      .result('r1', 'a2', 't1', 'ok');
    expect(planned(file.text).path.find(({ uuid }) => nameOf(uuid) === 'a1')).toMatchObject({ message: { content: [text('one'), call('t1')] } });
  });
});

describe('results of parallel calls', () => {
  const parallel = (): ClaudeFile =>
    one()
      .piece('a1', 'u1', 'm', text('both'))
      .piece('a2', 'a1', 'm', call('t1'))
      .result('r1', 'a2', 't1', 'one')
      .piece('a3', 'a2', 'm', call('t2'))
      .result('r2', 'a3', 't2', 'two');

  it('are all on the branch when the next answer is a child of the last one', () => {
    expect(names(parallel().piece('b1', 'r2', 'n', text('done')))).toEqual(['u1', 'a1', 'r1', 'r2', 'b1']);
  });

  it('are all on the branch when the next answer is a child of an attachment, or of another result', () => {
    const attached = parallel()
      .line('attachment', 'x', 'a2', { attachment: { type: 'structured_output', data: 1 } })
      .piece('b1', 'x', 'n', text('done'));
    expect(names(attached)).toEqual(['u1', 'a1', 'r1', 'r2', 'x', 'b1']);
    expect(names(parallel().piece('b1', 'r1', 'n', text('done')))).toEqual(['u1', 'a1', 'r1', 'r2', 'b1']);
  });

  it('include the messages that belong to them; a late result does not change the branch', () => {
    const file = parallel()
      .line('attachment', 'x', 'r1', { attachment: { type: 'task_reminder', content: [] } })
      .user('s', 'r1', 'skill', { isMeta: true, sourceToolUseID: 't1' });
    expect(names(file.piece('b1', 'r2', 'n', text('done')))).toEqual(['u1', 'a1', 'r1', 'r2', 'x', 's', 'b1']);
    const late = one()
      .piece('a1', 'u1', 'm', call('t1'))
      .piece('a2', 'a1', 'm', call('t2'))
      .result('r1', 'a2', 't2', 'two')
      .piece('b1', 'r1', 'n', text('done'))
      .result('r2', 'a1', 't1', 'late');
    expect(names(late)).toEqual(['u1', 'a1', 'r1', 'r2', 'b1']);
  });

  it('are not taken from copied history in the same file', () => {
    const file = parallel().piece('b1', 'r2', 'n', text('done'));
    file.user('U', 'b1', 'again').piece('A', 'U', 'm', call('t1')).result('R', 'A', 't1', 'copied').piece('B', 'R', 'n', text('done'));
    expect(names(file)).toEqual(['u1', 'a1', 'r1', 'r2', 'b1', 'U', 'A', 'R', 'B']);
  });
});

describe('branches', () => {
  it('the last one in the file is active; the others are stored', () => {
    const file = one()
      .piece('a1', 'u1', 'm', text('one'))
      .user('u2', 'a1', 'taken back')
      .piece('b1', 'u2', 'n', text('gone'))
      .line('attachment', 'x', 'u2', { attachment: { type: 'date_change' } });
    file.user('u3', 'a1', 'instead').piece('c1', 'u3', 'o', text('stays'));
    expect(names(file)).toEqual(['u1', 'a1', 'u3', 'c1']);
    expect(beside(file)).toEqual(['a1>u2', 'u2>b1', 'u2>x']);
  });

  it('continue across lines that are not messages', () => {
    const file = one()
      .line('progress', 'p1', 'u1', { data: {} })
      .line('progress', 'p2', 'p1', { data: {} })
      .piece('a1', 'p2', 'm', text('one'))
      .user('s', null, 'aside', { isSidechain: true })
      .user('u2', 's', 'next');
    expect(names(file)).toEqual(['u1', 'a1', 'u2']);
    expect(planned(file.text).plan.report.retained).toEqual({ progress: 2, sidechain: 1 });
  });

  it('continue after a damaged line', () => {
    const file = one().raw('{"type":"assistant","uuid":').user('u2', 'lost', 'second');
    expect(names(file)).toEqual(['u1', 'u2']);
  });

  it('with circular parents are imported', () => {
    const circle = new ClaudeFile()
      .user('u1', 'u2', 'one')
      .user('u2', 'u1', 'two')
      .line('progress', 'p1', 'p2', {})
      .line('progress', 'p2', 'p1', {})
      .user('u3', 'p1', 'three')
      .user('u4', 'u4', 'four');
    expect(names(circle).at(-1)).toBe('u4');
    expect([...names(circle), ...beside(circle)].length).toBe(4);
  });
});

describe('a line', () => {
  it('is converted, with unknown members kept', () => {
    const file = new ClaudeFile()
      .user('u1', null, [text('look')], {
        permissionMode: 'plan',
        origin: { kind: 'human' },
        imagePasteIds: [1],
        thinkingMetadata: { level: 'high' },
        apiError: 'x',
        requestId: 'r',
      })
      .user('u2', 'u1', 'note', { isMeta: true, permissionMode: 'unheard', origin: { kind: 'task-notification' } })
      .line('system', 'y', 'u2', { subtype: 'turn_duration', durationMs: 5, level: 'info' });
    const [first, second, third] = planned(file.text).path;
    expect(first).toEqual({
      type: 'user',
      uuid: ClaudeFile.uuid('u1'),
      parentUuid: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      content: [text('look')],
      permissionMode: 'plan',
      imagePasteIds: [1],
      thinkingMetadata: { level: 'high' },
    });
    expect(second).toMatchObject({ isMeta: true, origin: { kind: 'task-notification' } });
    expect(second).not.toHaveProperty('permissionMode');
    expect(third).toMatchObject({ type: 'system', subtype: 'turn_duration', level: 'info', content: '', durationMs: 5 });
  });

  it('of an answer that the program wrote is for readers only', () => {
    const file = one()
      .piece('a1', 'u1', 'x', text('API Error'), { model: '<synthetic>', isApiErrorMessage: true, error: 'rate_limit' })
      .piece('a2', 'a1', 'x', text('No response requested.'), { model: '<synthetic>' });
    const [, error, silence] = planned(file.text).path;
    expect(error).toMatchObject({ isApiErrorMessage: true, error: 'rate_limit' });
    expect(silence).toMatchObject({ isVirtual: true });
    expect(planned(file.text).plan.settings.model).toBe(SETTINGS.model);
  });

  it('of a compaction limits the context, not the transcript', () => {
    const file = one().piece('a1', 'u1', 'm', text('long'));
    file.line('system', 'c', null, {
      subtype: 'compact_boundary',
      logicalParentUuid: ClaudeFile.uuid('a1'),
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'auto' },
    });
    file.user('s', 'c', 'This session is being continued', { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    expect(names(file)).toEqual(['u1', 'a1', 'c', 's']);
    const { path, sent } = planned(file.text);
    expect(path[2]).toMatchObject({ compactMetadata: { trigger: 'auto' } });
    expect(path[3]).toMatchObject({ isCompactSummary: true });
    expect(sent.map(({ uuid }) => nameOf(uuid))).toEqual(['c', 's']);
  });

  it('with a repeated uuid gets another one', () => {
    const file = one().user('u1', 'u1', 'same again').user('u2', 'u1', 'below the first');
    file
      .raw('{"type":"user","uuid":"no-uuid","parentUuid":null,"message":{"content":"x"}}')
      .raw('{"type":"user","uuid":"v","parentUuid":"no-uuid","message":{"content":"y"}}');
    const { path, beside: rest } = planned(file.text);
    const uuids = [...path, ...rest].map(({ uuid }) => uuid);
    expect(new Set(uuids).size).toBe(6);
    expect(path.map((message) => (message as { content?: unknown }).content)).toEqual(['first', 'below the first', expect.any(String), 'x', 'y']);
    expect(planned(file.text).path).toEqual(path);
  });

  it('is never one in use', () => {
    const uuid = (name: string): string => `made of ${name}`;
    expect(freshUuid(3, new Set(), { uuid })).toBe('made of 3 0');
    expect(freshUuid(3, new Set(['made of 3 0', 'made of 3 1']), { uuid })).toBe('made of 3 2');
  });
});
