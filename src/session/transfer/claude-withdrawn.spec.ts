import { describe, expect, it } from '@jest/globals';
import { ClaudeFile, nameOf, text } from '../../../test/support/claude-file.js';
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
