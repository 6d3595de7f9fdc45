import { describe, expect, it } from '@jest/globals';
import { call, ClaudeFile, nameOf, text } from '../../../test/support/claude-file.js';
import { planned } from '../../../test/support/planned-import.js';
import { withdrawnIn } from '../../../packages/protocol/message/withdrawn.js';

const uuids = (...names: readonly string[]): readonly string[] => names.map(ClaudeFile.uuid);
const refused = (): ClaudeFile =>
  new ClaudeFile().user('u1', null, 'first').piece('a1', 'u1', 'm', text('unfinished')).piece('a2', 'a1', 'm', text('more of it'));
const noted = (fields: object = {}): ClaudeFile =>
  refused()
    .line('system', 'n', 'a2', { subtype: 'model_refusal_fallback', content: 'Switched', retractedMessageUuids: uuids('a1', 'a2'), ...fields })
    .piece('b1', 'n', 'o', text('instead'));

const names = (file: ClaudeFile): readonly string[] => planned(file.text).path.map(({ uuid }) => nameOf(uuid));
const withdrawn = (file: ClaudeFile): readonly string[] => [...withdrawnIn(planned(file.text).path)].map(nameOf);

describe('an answer that was taken back', () => {
  it('stays where it was said, and the note takes it back', () => {
    expect(names(noted())).toEqual(['u1', 'a1', 'n', 'b1']);
    expect(withdrawn(noted())).toEqual(['a1']);
  });

  it('is taken back by the answer that took its place, also when that continues the same message', () => {
    for (const id of ['o', 'm']) {
      const file = refused().piece('b1', 'a2', id, text('instead'), { supersedesUuids: uuids('a1', 'a2') });
      expect(names(file)).toEqual(['u1', 'a1', 'b1']);
      expect(withdrawn(file)).toEqual(['a1']);
    }
  });

  it('of which a part is taken back keeps the rest', () => {
    const file = noted({ retractedMessageUuids: uuids('a2') });
    expect(names(file)).toEqual(['u1', 'a1', 'a2', 'n', 'b1']);
    expect(withdrawn(file)).toEqual(['a2']);
  });

  it('whose substitute is taken back, too, is taken back by what took the place of that', () => {
    const file = noted()
      .line('system', 'n2', 'b1', { subtype: 'model_refusal_fallback', content: 'Switched', retractedMessageUuids: uuids('b1', 'n') })
      .piece('c1', 'n2', 'p', text('at last'));
    expect(names(file)).toEqual(['u1', 'a1', 'n', 'b1', 'n2', 'c1']);
    expect(withdrawn(file).toSorted()).toEqual(['a1', 'b1', 'n']);
  });

  it('is beside the branch when what takes it back is', () => {
    const file = noted()
      .state('last-prompt', { explicit: true, leafUuid: ClaudeFile.uuid('u1') })
      .piece('c1', 'u1', 'p', text('another one'));
    expect(names(file)).toEqual(['u1', 'c1']);
  });

  it('does not end the branch', () => {
    const file = refused().line('system', 'n', 'a2', { subtype: 'model_refusal_fallback', content: 'x', retractedMessageUuids: uuids('a1', 'a2') });
    expect(names(file)).toEqual(['u1', 'a1', 'n']);
    expect(withdrawn(file)).toEqual(['a1']);
  });

  it('is not taken back by itself, in a circle, or by a line that is not there', () => {
    const circle = refused()
      .piece('b1', 'a2', 'o', text('x'), { supersedesUuids: uuids('c1') })
      .piece('c1', 'b1', 'p', text('y'), { supersedesUuids: uuids('b1', 'c1', 'gone') });
    expect(names(circle)).toEqual(['u1', 'a1', 'b1', 'c1']);
    expect(withdrawn(circle)).toEqual([]);
  });
});

describe('a turn that the model refused', () => {
  const file = (fields: object): object => ({ attachment: { type: 'file', filename: 'plans.md', content: 'secret', ...fields } });
  /** A turn with a file, a listing and parallel calls, and the refused answer to it in two lines. */
  const turn = (): ClaudeFile =>
    new ClaudeFile()
      .user('u1', null, 'first')
      .piece('a1', 'u1', 'm1', text('one'), { stop: 'end_turn' })
      .user('u2', 'a1', 'second')
      .line('attachment', 'f', 'u2', file({}))
      .line('attachment', 'l', 'f', { attachment: { type: 'deferred_tools_delta', addedNames: ['X'], removedNames: [] } })
      .piece('c1', 'l', 'm2', call('t1'), { stop: 'tool_use' })
      .result('r1', 'c1', 't1', 'ok')
      .piece('c2', 'c1', 'm2', call('t2'), { stop: 'tool_use' })
      .result('r2', 'c2', 't2', 'ok')
      .piece('x1', 'r2', 'm3', text('I begin'))
      .piece('x2', 'x1', 'm3', text('and'), { stop: 'refusal' })
      .piece('e', 'x2', 'own', text('API Error: the model declined'), { model: '<synthetic>', isApiErrorMessage: true });
  const taken = (given: ClaudeFile, options = {}): readonly string[] => [...withdrawnIn(planned(given.text, options).path)].map(nameOf).toSorted();

  it('is taken back by its answer: with prompt, files, calls and results, and without what is in force for the session', () => {
    expect(taken(turn().user('u3', 'e', 'third'))).toEqual(['c1', 'f', 'r1', 'r2', 'u2', 'x1']);
    expect(names(turn().user('u3', 'e', 'third'))).toEqual(['u1', 'a1', 'u2', 'f', 'l', 'c1', 'r1', 'r2', 'x1', 'e', 'u3']);
  });

  it('keeps its prompt where that is set', () => {
    expect(taken(turn(), { keepsRefusedPrompts: true })).toEqual(['x1']);
  });

  it('is not taken back where another answer followed in it, or took the place of the refused one', () => {
    expect(taken(turn().piece('b1', 'x2', 'm4', text('instead'), { stop: 'end_turn' }))).toEqual(['x1']);
    expect(taken(turn().piece('b1', 'x2', 'm4', text('instead'), { stop: 'end_turn', supersedesUuids: uuids('x1', 'x2') }))).toEqual(['x1']);
    expect(taken(turn().piece('b1', 'r2', 'm4', text('retried'), { stop: 'end_turn' }))).toEqual([]);
  });

  it('that was refused several times is taken back as a whole', () => {
    expect(taken(turn().piece('y', 'e', 'm4', text('no'), { stop: 'refusal' }))).toEqual(['c1', 'f', 'r1', 'r2', 'u2', 'x1', 'y']);
  });

  it('leaves the summary that it began with', () => {
    const compacted = new ClaudeFile()
      .user('u1', null, 'first')
      .line('system', 'B', null, { subtype: 'compact_boundary', content: '', logicalParentUuid: ClaudeFile.uuid('u1') })
      .user('S', 'B', 'summary', { isCompactSummary: true })
      .piece('x', 'S', 'm', text('no'), { stop: 'refusal' });
    expect(taken(compacted)).toEqual(['x']);
  });

  it('costs a bounded time, however many answers were refused below one prompt', () => {
    const many = new ClaudeFile().user('u0', null, 'first');
    for (let n = 1; n <= 3_000; n += 1) many.piece(`u${n}`, `u${n - 1}`, `m${n}`, text('one'));
    for (let n = 1; n <= 3_000; n += 1) many.piece(`x${n}`, 'u3000', `x${n}`, text('no'), { stop: 'refusal' });
    const total = [...planned(many.text).plan.messages()].reduce((sum, { withdraws = [] }) => sum + withdraws.length, 0);
    expect(total).toBeGreaterThan(6_000);
    expect(total).toBeLessThan(60_000);
  });
});
