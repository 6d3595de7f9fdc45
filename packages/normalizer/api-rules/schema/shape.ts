import { cut } from '../../../protocol/message/text.js';
import type { Problem } from '../problem.js';
import type { Rule } from '../rules.js';

/** Path to a value, as a linked list: only formatted when there is a problem to report. */
export interface Place {
  /** Absent for the body itself. */
  readonly up?: Place;
  readonly key: string | number;
  /** A union's tag: part of the path in error messages, not of the JSON path. */
  readonly isTag?: boolean;
}

/** Validates one value and appends its problems. Shapes are not recursive, so their depth is bounded. */
export interface Shape {
  (value: unknown, place: Place, problems: Problem[]): void;
  /** See `fit`. A shape without it takes a value as it is or not at all. */
  readonly fit?: (value: unknown) => unknown;
}

/** The result of `fit` for a value that cannot be repaired. */
export const UNFIT: unique symbol = Symbol('unfit');

/**
 * The value repaired to the shape: members the shape does not have are removed, and so are optional members and list entries that cannot be repaired;
 * texts are cut to their maximum length. The same object when nothing has to change. A repaired value passes the shape, except for members that are
 * `repairedElsewhere`.
 */
export function fit(shape: Shape, value: unknown): unknown {
  if (shape.fit) return shape.fit(value);
  const problems: Problem[] = [];
  shape(value, ROOT, problems);
  return problems.length === 0 ? value : UNFIT;
}

const ROOT: Place = { key: '' };

/** A new shape: `check` must be its own function, since the repair is attached to it. */
const repairable = (check: Shape, repair: (value: unknown) => unknown): Shape => Object.assign(check, { fit: repair });

/** The check of one shape with another repair. */
const withFit = (shape: Shape, repair: (value: unknown) => unknown): Shape =>
  Object.assign((value: unknown, place: Place, problems: Problem[]) => shape(value, place, problems), { fit: repair });

/** `fit` leaves the value as it is: a pass that sees more than this value repairs it. */
export const repairedElsewhere = (shape: Shape): Shape => withFit(shape, (value) => value);

/** `fit` takes the value out: it may be sent, but is never sent from what is stored. */
export const neverResent = (shape: Shape): Shape => withFit(shape, () => UNFIT);

/** `fit` puts `fallback` instead of what cannot be repaired. */
export const orElse = (shape: Shape, fallback: unknown): Shape =>
  withFit(shape, (value) => {
    const fitted = fit(shape, value);
    return fitted === UNFIT ? fallback : fitted;
  });

/** `fit` rejects what a later stage of the checker would report. */
export const onlyIf = (shape: Shape, isAccepted: (value: unknown) => boolean): Shape =>
  withFit(shape, (value) => {
    const fitted = fit(shape, value);
    return fitted !== UNFIT && isAccepted(fitted) ? fitted : UNFIT;
  });

/** `fit` rejects the list when one of its entries cannot be repaired. */
export const wholeList = (entry: Shape): Shape =>
  repairable(list(entry), (value) => (Array.isArray(value) ? fitList(value, (item) => fit(entry, item), true) : UNFIT));

function fitList(value: readonly unknown[], entry: (item: unknown) => unknown, isWhole: boolean): unknown {
  let result: unknown[] | null = null;
  for (let index = 0; index < value.length; index += 1) {
    const fitted = entry(value[index]);
    if (fitted === UNFIT && isWhole) return UNFIT;
    if (result === null && fitted !== value[index]) result = value.slice(0, index);
    if (result !== null && fitted !== UNFIT) result.push(fitted);
  }
  return result ?? value;
}

type Fields = Readonly<Record<string, Shape>>;

/** Appends a problem with a message in the API's format: path with tags, colon, sentence. */
export function addProblem(problems: Problem[], rule: Rule, place: Place, sentence: string): void {
  problems.push({ rule, at: formatPath(place, false), text: `${formatPath(place, true)}: ${sentence}` });
}

function formatPath(place: Place, withTags: boolean): string {
  const steps: (string | number)[] = [];
  for (let at = place; at.up; at = at.up) if (withTags || !at.isTag) steps.push(at.key);
  return steps.reverse().join('.');
}

export const anything: Shape = Object.assign(() => {}, { fit: (value: unknown) => value });

export function text(limits: { min?: number; max?: number; pattern?: RegExp } = {}): Shape {
  const { min = 0, max = Infinity, pattern } = limits;
  const check: Shape = (value, place, problems) => {
    if (typeof value !== 'string') addProblem(problems, 'wrong-type', place, 'Input should be a valid string');
    else if (value.length < min) addProblem(problems, 'string-too-short', place, `String should have at least ${characters(min)}`);
    else if (value.length > max) addProblem(problems, 'string-too-long', place, `String should have at most ${characters(max)}`);
    else if (pattern && !pattern.test(value)) addProblem(problems, 'string-pattern', place, `String should match pattern '${pattern.source}'`);
  };
  return repairable(check, (value) => {
    if (typeof value !== 'string' || value.length < min || (pattern && !pattern.test(value))) return UNFIT;
    return cut(value, max);
  });
}

const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

export const number =
  (limits: { min?: number; max?: number; integer?: boolean } = {}): Shape =>
  (value, place, problems) => {
    const { min = -Infinity, max = Infinity, integer = false } = limits;
    if (typeof value !== 'number') addProblem(problems, 'wrong-type', place, `Input should be a valid ${integer ? 'integer' : 'number'}`);
    else if (integer && !Number.isInteger(value)) addProblem(problems, 'wrong-type', place, 'Input should be a valid integer');
    else if (value < min) addProblem(problems, 'out-of-range', place, `Input should be greater than or equal to ${min}`);
    else if (value > max) addProblem(problems, 'out-of-range', place, `Input should be less than or equal to ${max}`);
  };

export const integer = (limits: { min?: number; max?: number } = {}): Shape => number({ ...limits, integer: true });

export const flag: Shape = (value, place, problems) => {
  if (typeof value !== 'boolean') addProblem(problems, 'wrong-type', place, 'Input should be a valid boolean');
};

/** An enum. `accepted` may hold more values than the error message lists. */
export const oneOf =
  (listed: readonly string[], accepted: readonly string[] = listed): Shape =>
  (value, place, problems) => {
    if (typeof value === 'string' && accepted.includes(value)) return;
    addProblem(problems, 'not-one-of', place, `Input should be ${enumerate(listed)}`);
  };

function enumerate(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

export function list(entry: Shape, isNeverEmpty = false): Shape {
  const check: Shape = (value, place, problems) => {
    if (!Array.isArray(value)) return addProblem(problems, 'wrong-type', place, 'Input should be a valid list');
    if (isNeverEmpty && value.length === 0) {
      addProblem(problems, 'list-too-short', place, 'List should have at least 1 item after validation, not 0');
    }
    value.forEach((item: unknown, key) => entry(item, { up: place, key }, problems));
  };
  return repairable(check, (value) => {
    const fitted = Array.isArray(value) ? fitList(value, (item) => fit(entry, item), false) : UNFIT;
    return isNeverEmpty && Array.isArray(fitted) && fitted.length === 0 ? UNFIT : fitted;
  });
}

/** A JSON object of any content. */
export const record: Shape = (value, place, problems) => {
  if (!isRecord(value)) addProblem(problems, 'wrong-type', place, 'Input should be an object');
};

/** An object with these fields and no others, unless it is open. A field that is `undefined` counts as absent. */
export function object(required: Fields, optional: Fields = {}, isOpen = false): Shape {
  const fields = new Map(Object.entries({ ...required, ...optional }));
  const check: Shape = (value, place, problems) => {
    if (!isRecord(value)) return addProblem(problems, 'wrong-type', place, 'Input should be an object');
    for (const [key, shape] of fields) {
      const found = Object.hasOwn(value, key) ? value[key] : undefined;
      if (found !== undefined) shape(found, { up: place, key }, problems);
      else if (Object.hasOwn(required, key)) addProblem(problems, 'field-required', { up: place, key }, 'Field required');
    }
    if (isOpen) return;
    for (const key of Object.keys(value)) {
      if (fields.has(key) || value[key] === undefined) continue;
      addProblem(problems, 'extra-input', { up: place, key }, 'Extra inputs are not permitted');
    }
  };
  return repairable(check, (value) => {
    if (!isRecord(value)) return UNFIT;
    let added: Record<string, unknown> | null = null;
    for (const key in required) {
      if (Object.hasOwn(value, key) && value[key] !== undefined) continue;
      const fitted = fit(required[key] as Shape, undefined);
      if (fitted === UNFIT) return UNFIT;
      if (fitted !== undefined) (added ??= {})[key] = fitted;
    }
    let result: [string, unknown][] | null = null;
    const keys = Object.keys(value);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as string;
      const before = value[key];
      const shape = fields.get(key);
      const fitted = before === undefined || (!shape && isOpen) ? before : shape ? fit(shape, before) : UNFIT;
      if (fitted === UNFIT && Object.hasOwn(required, key)) return UNFIT;
      if (result === null && fitted !== before) result = keys.slice(0, at).map((name) => [name, value[name]]);
      if (result !== null && fitted !== UNFIT) result.push([key, fitted]);
    }
    return result || added ? { ...(result ? Object.fromEntries(result) : value), ...added } : value;
  });
}

/** The shape, or null, which also takes the place of what cannot be repaired and of a required member that is missing. */
export function nullable(shape: Shape): Shape {
  const check: Shape = (value, place, problems) => {
    if (value !== null) shape(value, place, problems);
  };
  return repairable(check, (value) => {
    const fitted = value === null ? null : fit(shape, value);
    return fitted === UNFIT ? null : fitted;
  });
}

/** A string, or a value of another shape. */
export const textOr = (other: Shape, whenText: Shape = anything): Shape => either((value) => typeof value === 'string', whenText, other);

/** One of two shapes, by a look at the value. */
export const either = (isFirst: (value: unknown) => boolean, first: Shape, second: Shape): Shape =>
  repairable(
    (value, place, problems) => (isFirst(value) ? first : second)(value, place, problems),
    (value) => fit(isFirst(value) ? first : second, value),
  );

/** A union discriminated by `type`, whose value is part of error paths. `untagged`: the variant of an object without `type`. */
export function tagged(variants: Fields, untagged?: string): Shape {
  const expected = Object.keys(variants)
    .map((tag) => `'${tag}'`)
    .join(', ');
  const check: Shape = (value, place, problems) => {
    if (!isRecord(value)) return addProblem(problems, 'wrong-type', place, 'Input should be an object');
    const tag = value['type'] ?? untagged;
    if (tag === undefined) return addProblem(problems, 'missing-type', place, "Unable to extract tag using discriminator 'type'");
    const shape = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    if (shape) return shape(value, { up: place, key: String(tag), isTag: true }, problems);
    const found = typeof tag === 'object' ? 'object' : String(tag);
    const sentence = `Input tag '${found}' found using 'type' does not match any of the expected tags: ${expected}`;
    addProblem(problems, 'unknown-type', place, sentence);
  };
  return repairable(check, (value) => {
    const tag = isRecord(value) ? (value['type'] ?? untagged) : undefined;
    const shape = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    return shape ? fit(shape, value) : UNFIT;
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
