import { describe, expect, it } from '@jest/globals';
import { asPattern, differences, lastJson } from './answers.js';

describe('a documented answer', () => {
  it('may leave members out, and has the others', () => {
    expect(differences({ a: 1 }, { a: 1, b: 2 })).toEqual([]);
    expect(differences({ a: { b: 'x' } }, { a: { b: 'y' } })).toEqual(['the answer.a.b is "y" instead of "x"']);
    expect(differences({ a: 1 }, [])).toEqual(['the answer is [] instead of an object']);
  });

  it('has … for any text, any value, and further values of a list', () => {
    expect(differences({ id: '…', text: 'vb_…', list: [1, '…'] }, { id: 7, text: 'vb_1', list: [1, 2, 3] })).toEqual([]);
    expect(differences({ id: '…', text: 'vb_…', list: [1, '…'] }, { text: 'vc_1', list: [2] })).toEqual([
      'the answer.id is missing',
      'the answer.text is "vc_1" instead of "vb_…"',
      'the answer.list[0] is 2 instead of 1',
    ]);
  });

  it('has as many values as a list without …', () => {
    expect(differences([1], [1, 2])).toEqual(['the answer has 2 values instead of 1']);
  });

  it('is the last line where commands have printed more than one', () => {
    expect(lastJson('{"a":1}\n{"a":2}\n\n')).toEqual({ a: 2 });
  });

  it('matches its text literally but for …', () => {
    expect('a (b) c\nd').toMatch(asPattern('a (b) …d'));
    expect('a b c').not.toMatch(asPattern('a.b'));
  });
});
