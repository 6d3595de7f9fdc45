import { describe, expect, it } from '@jest/globals';
import { type ObjectOf, optionalMembers } from './shape.js';
import { choice, dictionary, integer, kinds, list, object, rulesOf, text, textLike, uuid, yes } from './shapes.js';
import { skeletonBy } from './skeleton-rule.js';

const left = (members: Parameters<typeof rulesOf>[0], data: object) => skeletonBy({ members: rulesOf(members) }, data);

const order = {
  id: uuid,
  parent: uuid.nullable(),
  note: text,
  count: integer.optional(),
  state: choice('open', 'closed').erasedAs('closed'),
  by: kinds({ person: { id: uuid }, rule: { rule: text } }).erasedAs({ kind: 'rule', rule: '' }),
  lines: list(object({ id: uuid, line: text })),
  words: list(text),
  texts: dictionary(text),
};

/** Compiles only while the types are inferred from the shapes. */
const data: ObjectOf<typeof order> = {
  id: 'a',
  parent: null,
  note: 'secret',
  state: 'open',
  by: { kind: 'person', id: 'p' },
  lines: [{ id: 'l', line: 'secret' }],
  words: ['secret'],
  texts: { secret: 'secret' },
};

describe('an erasure by the shape of the data', () => {
  it('keeps ids, numbers and choices, and leaves nothing of texts', () => {
    expect(left(order, data)).toEqual({
      id: 'a',
      parent: null,
      note: '',
      state: 'open',
      by: { kind: 'person', id: 'p' },
      lines: [{ id: 'l', line: '' }],
      words: [],
      texts: {},
    });
  });

  it('puts what the shape says in place of what is not as it should be', () => {
    expect(left(order, { ...data, id: 'not an id', count: 'many', state: 'secret', by: { kind: 'secret' }, lines: ['secret'] })).toMatchObject({
      id: '',
      state: 'closed',
      by: { kind: 'rule', rule: '' },
      lines: [],
    });
    expect(left(order, { ...data, count: 'many' })).not.toHaveProperty('count');
  });

  it('leaves no member out that must be present', () => {
    expect(Object.keys(left(order, {}) as object)).toEqual(['id', 'parent', 'note', 'state', 'by', 'lines', 'words', 'texts']);
  });

  it('leaves no member that may be absent and is content', () => {
    const members = {
      note: text.optional(),
      name: textLike('^[a-z]+$').nullable().optional(),
      rules: object({ allow: list(text) }).optional(),
      done: yes.optional(),
    };
    expect(left(members, { note: 'secret', name: null, rules: { allow: [] }, done: true })).toEqual({ name: null, done: true });
    expect(left(members, { name: 'no Name', done: false })).toEqual({});
  });

  it('of a member that became optional leaves what may be left of it, or no member', () => {
    expect(left(optionalMembers(order), { id: 'a', note: 'secret', state: 'secret' })).toEqual({ id: 'a' });
  });
});
