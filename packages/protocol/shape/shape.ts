import type { Json } from '../json.js';
import { constant, type Rule } from './skeleton-rule.js';

/** What kind of value it is. A named one is a component of the API document; the schemas of `component`s are elsewhere, because bodies of requests have them, too. */
export type Form = { readonly name?: string; readonly about?: string } & (
  | { readonly is: 'uuid' | 'text' | 'time' | 'integer' | 'number' | 'boolean' | 'true' | 'json' | 'jsonObject' }
  | { readonly is: 'choice'; readonly texts: readonly string[] }
  | { readonly is: 'list' | 'dictionary'; readonly of: Shape }
  | { readonly is: 'object'; readonly members: Members }
  | { readonly is: 'kinds'; readonly cases: Readonly<Record<string, Members>> }
  | { readonly is: 'either'; readonly of: readonly Shape[] }
  | { readonly is: 'component'; readonly component: string }
);

/** What an erasure leaves of it. */
interface Left {
  /** The rule that yields the value, or what may be left of it; null: all of it is content. */
  readonly kept: Rule | null;
  /** What stands for it where it must be present. */
  readonly erased: Json;
  /** Whether it can hold content. */
  readonly isOpen: boolean;
}

interface Use {
  readonly about?: string;
  readonly isNullable?: boolean;
}

type Presence = 'always' | 'optional';

export type Members = Readonly<Record<string, Shape<unknown, Presence>>>;

/**
 * What a value is, said once: the type in the code, the schema in the API document and what an erasure leaves of it are made from this. Ids, numbers, times, flags and choices
 * are kept; a text and JSON are content, unless the shape says what of it is kept.
 */
export class Shape<out T = unknown, out P extends Presence = 'always'> {
  /** Known to the compiler only. */
  declare readonly type?: T;

  constructor(
    readonly form: Form,
    readonly left: Left,
    readonly presence: P,
    readonly use: Use = {},
  ) {}

  about(about: string): Shape<T, P> {
    return new Shape(this.form, this.left, this.presence, { ...this.use, about });
  }

  named(name: string, about?: string): Shape<T, P> {
    return new Shape({ ...this.form, name, ...(about !== undefined && { about }) }, this.left, this.presence, this.use);
  }

  nullable(about?: string): Shape<T | null, P> {
    return new Shape(this.form, { ...this.left, erased: null }, this.presence, { ...this.use, isNullable: true, ...(about !== undefined && { about }) });
  }

  optional(about?: string): Shape<T, 'optional'> {
    return new Shape(this.form, this.left, 'optional', { ...this.use, ...(about !== undefined && { about }) });
  }

  /** Nothing of it is kept. */
  content(erased: Json = this.left.erased): Shape<T, P> {
    return this.keeping(null, erased);
  }

  /** What is kept, or else stands for it. */
  keeping(kept: Rule | null, erased: Json = this.left.erased): Shape<T, P> {
    return new Shape(this.form, { kept, erased, isOpen: true }, this.presence, this.use);
  }

  erasedAs(erased: T & Json): Shape<T, P> {
    return new Shape(this.form, { ...this.left, erased }, this.presence, this.use);
  }

  /** What an erasure leaves of it; null: not even the member. */
  get rule(): Rule | null {
    const { kept, erased } = this.left;
    if (this.presence === 'always') return kept === null ? constant(erased) : 'else' in kept ? kept : { ...kept, else: constant(erased) };
    return kept !== null && 'keep' in kept && this.use.isNullable ? { keep: [...kept.keep, 'null'] } : kept;
  }
}

export type TypeOf<S> = S extends Shape<infer T, Presence> ? T : never;

type OptionalNames<M extends Members> = { [Name in keyof M]: M[Name] extends Shape<unknown, 'always'> ? never : Name }[keyof M];

type Flat<T> = { [Name in keyof T]: T[Name] };

/** The type of an object with these members. */
export type ObjectOf<M extends Members> = Flat<
  { readonly [Name in keyof M as Name extends OptionalNames<M> ? never : Name]: TypeOf<M[Name]> } & {
    readonly [Name in keyof M as Name extends OptionalNames<M> ? Name : never]?: TypeOf<M[Name]>;
  }
>;

/** The same members, none of which must be present. */
export const optionalMembers = <M extends Members>(members: M): { readonly [Name in keyof M]: Shape<TypeOf<M[Name]>, 'optional'> } =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [name, shape.optional()])) as never;
