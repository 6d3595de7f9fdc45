import type { Json } from '../json.js';
import { type Form, type Members, type ObjectOf, Shape, type TypeOf } from './shape.js';
import { constant, ID, keep, oneOf, type Rule, type Rules, skeletonBy, TIME } from './skeleton-rule.js';

/** The shapes that others are made of. */

const closed = <T>(form: Form, kept: Rule, erased: Json): Shape<T> => new Shape(form, { kept, erased, isOpen: false }, 'always');
const open = <T>(form: Form, kept: Rule | null, erased: Json): Shape<T> => new Shape(form, { kept, erased, isOpen: true }, 'always');

export const uuid = closed<string>({ is: 'uuid' }, keep(ID), '');
/** RFC 3339. */
export const time = closed<string>({ is: 'time' }, keep(TIME), '1970-01-01T00:00:00.000Z');
export const integer = closed<number>({ is: 'integer' }, keep('number'), 0);
export const number = closed<number>({ is: 'number' }, keep('number'), 0);
export const flag = closed<boolean>({ is: 'boolean' }, keep('boolean'), false);
/** A member that is true or absent. */
export const yes = closed<true>({ is: 'true' }, keep('true'), true);

export const text = open<string>({ is: 'text' }, null, '');
/** A text that is kept when it looks as it should: an id of another system, a version, a hash. */
export const textLike = (pattern: string): Shape<string> => text.keeping(keep(pattern));
export const key = textLike(ID);

export const json = open<Json>({ is: 'json' }, null, null);
export const jsonObject = open<{ readonly [key: string]: Json }>({ is: 'jsonObject' }, null, {});

export const choice = <const Text extends string>(...texts: readonly [Text, ...Text[]]): Shape<Text> =>
  closed<Text>({ is: 'choice', texts }, keep(oneOf(...texts)), texts[0]);

export const list = <T>(of: Shape<T>): Shape<readonly T[]> => {
  const items = of.optional().rule;
  return new Shape({ is: 'list', of }, { kept: items && { items }, erased: [], isOpen: of.left.isOpen }, 'always');
};

export const dictionary = <T>(of: Shape<T>): Shape<{ readonly [key: string]: T }> => {
  const entries = of.optional().rule;
  return open({ is: 'dictionary', of }, entries && { entries, named: ID }, {});
};

export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const rules = rulesOf(members);
  const keepsSome = Object.values(rules).some((rule) => !('const' in rule));
  const erased = skeletonBy({ members: rules }, {}) ?? {};
  return new Shape({ is: 'object', members }, { kept: keepsSome ? { members: rules } : null, erased, isOpen: isOpen(members) }, 'always');
}

/** Objects that differ in their `kind`. */
export function kinds<const Cases extends Readonly<Record<string, Members>>>(
  cases: Cases,
): Shape<{ [Kind in keyof Cases]: { readonly kind: Kind } & ObjectOf<Cases[Kind]> }[keyof Cases]> {
  const rules = Object.entries(cases).map(([kind, members]) => [kind, { members: { kind: constant(kind), ...rulesOf(members) } }] as const);
  return open({ is: 'kinds', cases }, { by: 'kind', cases: Object.fromEntries(rules) }, {});
}

export const either = <Options extends readonly Shape[]>(...of: Options): Shape<TypeOf<Options[number]>> => open({ is: 'either', of }, null, null);

/** What an erasure leaves of each member. */
export function rulesOf(members: Members): Rules {
  return Object.fromEntries(Object.entries(members).flatMap(([name, { rule }]) => (rule === null ? [] : [[name, rule] as const])));
}

/** Whether one of the members can hold content. */
export const isOpen = (members: Members): boolean => Object.values(members).some(({ left }) => left.isOpen);
