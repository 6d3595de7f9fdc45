import type { Json } from '../json.js';

/**
 * What an erasure leaves of a JSON value, as data: prisma/functions/skeleton_by.sql follows the same rules in the database. A rule yields a value or nothing; what no
 * rule names is content. `else`: the rule for a value that this one yields nothing for.
 */
export type Rule =
  /** Always this value. */
  | { readonly const: Json }
  /**
   * A value of one of these kinds, unchanged: `number`, `boolean`, `true`, `null`, or a text that matches a pattern, which begins with ^. No pattern accepts backslashes,
   * control characters or halves of surrogate pairs: JSON text has escapes for them, which the database does not read.
   */
  | { readonly keep: readonly string[]; readonly else?: Rule }
  /** An object with these members, in this order. Nothing, when one of `needs` yields nothing. */
  | { readonly members: Rules; readonly needs?: readonly string[]; readonly else?: Rule }
  /** An object with any members that have a name that matches the pattern. */
  | { readonly entries: Rule; readonly named: string; readonly else?: Rule }
  /** A list, without the items for which the rule yields nothing. With `else`, an empty list is nothing. */
  | { readonly items: Rule; readonly else?: Rule }
  /** The rule for the text that the member `by` has. */
  | { readonly by: string; readonly cases: Rules; readonly else?: Rule };

export type Rules = { readonly [name: string]: Rule };

export const ID = '^[A-Za-z0-9_-]{1,128}$';

/** Undefined: nothing. */
export function skeletonBy(rule: Rule, data: unknown): Json | undefined {
  const found = 'const' in rule ? rule.const : 'keep' in rule ? kept(rule.keep, data) : 'items' in rule ? itemsBy(rule, data) : object(rule, data);
  return found === undefined && 'else' in rule && rule.else ? skeletonBy(rule.else, data) : found;
}

type Of<Member extends string> = Extract<Rule, { readonly [name in Member]: unknown }>;

function itemsBy(rule: Of<'items'>, data: unknown): Json | undefined {
  if (!Array.isArray(data)) return undefined;
  const items = data.map((item) => skeletonBy(rule.items, item)).filter((item) => item !== undefined);
  return items.length === 0 && rule.else ? undefined : items;
}

function object(rule: Of<'by'> | Of<'members'> | Of<'entries'>, data: unknown): Json | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const given = data as { readonly [name: string]: unknown };
  if ('by' in rule) {
    const chosen = own(given, rule.by);
    return typeof chosen === 'string' && Object.hasOwn(rule.cases, chosen) ? skeletonBy(rule.cases[chosen]!, data) : undefined;
  }
  const rules = 'members' in rule ? Object.entries(rule.members) : entriesOf(given, rule);
  const left = rules.flatMap(([name, member]) => {
    const value = skeletonBy(member, own(given, name));
    return value === undefined ? [] : [[name, value] as const];
  });
  const isWhole = 'entries' in rule || (rule.needs ?? []).every((name) => left.some(([found]) => found === name));
  return isWhole ? Object.fromEntries(left) : undefined;
}

const entriesOf = (given: object, { entries, named }: Of<'entries'>): readonly (readonly [string, Rule])[] =>
  Object.keys(given).flatMap((name) => (isOf(named, name) ? [[name, entries] as const] : []));

const own = (given: { readonly [name: string]: unknown }, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);

function kept(kinds: readonly string[], data: unknown): Json | undefined {
  return kinds.some((kind) => isOf(kind, data)) ? (data as Json) : undefined;
}

function isOf(kind: string, data: unknown): boolean {
  switch (kind) {
    case 'null':
      return data === null;
    case 'true':
      return data === true;
    case 'number':
      return typeof data === 'number' && Number.isFinite(data);
    case 'boolean':
      return typeof data === 'boolean';
    default:
      return typeof data === 'string' && pattern(kind).test(data);
  }
}

const patterns = new Map<string, RegExp>();

function pattern(text: string): RegExp {
  const known = patterns.get(text) ?? new RegExp(text, 'u');
  patterns.set(text, known);
  return known;
}

/** Rules that others are made of. */

export const constant = (value: Json): Rule => ({ const: value });
export const keep = (...kinds: readonly string[]): Rule => ({ keep: kinds });
export const keepOr = (value: Json, ...kinds: readonly string[]): Rule => ({ keep: kinds, else: constant(value) });
/** An object that is there in any case. */
export const required = (members: Rules): Rule => ({ members, else: constant(skeletonBy({ members }, {}) ?? {}) });
export const list = (items: Rule): Rule => ({ items, else: constant([]) });
export const oneOf = (...texts: readonly string[]): string => `^(${texts.join('|')})$`;

export const ID_OR_EMPTY = keepOr('', ID);
export const ID_OR_NULL = keepOr(null, ID);
export const NUMBER = keepOr(0, 'number');
export const NUMBER_OR_NULL = keepOr(null, 'number');
export const MODE = oneOf('default', 'acceptEdits', 'plan', 'bypassPermissions');
export const TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$';
