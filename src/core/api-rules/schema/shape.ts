import type { Problem } from '../problem.js';
import type { Rule } from '../rules.js';

/** Where a value stands: a chain that is only written out when there is something to report. */
export interface Place {
  /** Absent for the body itself, which no path names. */
  readonly up?: Place;
  readonly key: string | number;
  /** A union's tag: the API writes it into its messages, but it is no step of the JSON path. */
  readonly isTag?: boolean;
}

/** Checks one value and adds what is wrong with it. Shapes never refer to themselves, so their depth is bounded. */
export type Shape = (value: unknown, place: Place, problems: Problem[]) => void;

type Fields = Readonly<Record<string, Shape>>;

/** Adds a problem in the form of the API's schema stage: path with tags, colon, sentence. */
export function refuse(problems: Problem[], rule: Rule, place: Place, sentence: string): void {
  problems.push({ rule, at: written(place, false), text: `${written(place, true)}: ${sentence}` });
}

function written(place: Place, withTags: boolean): string {
  const steps: (string | number)[] = [];
  for (let at = place; at.up; at = at.up) if (withTags || !at.isTag) steps.push(at.key);
  return steps.reverse().join('.');
}

export const anything: Shape = () => {};

export const text =
  (limits: { min?: number; max?: number; pattern?: RegExp } = {}): Shape =>
  (value, place, problems) => {
    const { min = 0, max = Infinity, pattern } = limits;
    if (typeof value !== 'string') refuse(problems, 'wrong-type', place, 'Input should be a valid string');
    else if (value.length < min) refuse(problems, 'string-too-short', place, `String should have at least ${characters(min)}`);
    else if (value.length > max) refuse(problems, 'string-too-long', place, `String should have at most ${characters(max)}`);
    else if (pattern && !pattern.test(value)) refuse(problems, 'string-pattern', place, `String should match pattern '${pattern.source}'`);
  };

const characters = (count: number): string => `${count} character${count === 1 ? '' : 's'}`;

export const number =
  (limits: { min?: number; max?: number; integer?: boolean } = {}): Shape =>
  (value, place, problems) => {
    const { min = -Infinity, max = Infinity, integer = false } = limits;
    if (typeof value !== 'number') refuse(problems, 'wrong-type', place, `Input should be a valid ${integer ? 'integer' : 'number'}`);
    else if (integer && !Number.isInteger(value)) refuse(problems, 'wrong-type', place, 'Input should be a valid integer');
    else if (value < min) refuse(problems, 'out-of-range', place, `Input should be greater than or equal to ${min}`);
    else if (value > max) refuse(problems, 'out-of-range', place, `Input should be less than or equal to ${max}`);
  };

export const integer = (limits: { min?: number; max?: number } = {}): Shape => number({ ...limits, integer: true });

export const flag: Shape = (value, place, problems) => {
  if (typeof value !== 'boolean') refuse(problems, 'wrong-type', place, 'Input should be a valid boolean');
};

/** One of a few strings; `accepted` may hold more than the sentence tells. */
export const oneOf =
  (told: readonly string[], accepted: readonly string[] = told): Shape =>
  (value, place, problems) => {
    if (typeof value === 'string' && accepted.includes(value)) return;
    refuse(problems, 'not-one-of', place, `Input should be ${enumerate(told)}`);
  };

function enumerate(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

export const list =
  (entry: Shape, isNeverEmpty = false): Shape =>
  (value, place, problems) => {
    if (!Array.isArray(value)) return refuse(problems, 'wrong-type', place, 'Input should be a valid list');
    if (isNeverEmpty && value.length === 0) {
      refuse(problems, 'list-too-short', place, 'List should have at least 1 item after validation, not 0');
    }
    value.forEach((item: unknown, key) => entry(item, { up: place, key }, problems));
  };

/** A JSON object of any content. */
export const record: Shape = (value, place, problems) => {
  if (!isRecord(value)) refuse(problems, 'wrong-type', place, 'Input should be an object');
};

/** An object with these fields and no others, unless it is open. A field that is `undefined` counts as absent. */
export function object(required: Fields, optional: Fields = {}, isOpen = false): Shape {
  const fields = new Map(Object.entries({ ...required, ...optional }));
  return (value, place, problems) => {
    if (!isRecord(value)) return refuse(problems, 'wrong-type', place, 'Input should be an object');
    for (const [key, shape] of fields) {
      const found = Object.hasOwn(value, key) ? value[key] : undefined;
      if (found !== undefined) shape(found, { up: place, key }, problems);
      else if (Object.hasOwn(required, key)) refuse(problems, 'field-required', { up: place, key }, 'Field required');
    }
    if (isOpen) return;
    for (const key of Object.keys(value)) {
      if (fields.has(key) || value[key] === undefined) continue;
      refuse(problems, 'extra-input', { up: place, key }, 'Extra inputs are not permitted');
    }
  };
}

export const nullable =
  (shape: Shape): Shape =>
  (value, place, problems) => {
    if (value !== null) shape(value, place, problems);
  };

/** A string, or else a list. */
export const textOr =
  (other: Shape, whenText: Shape = anything): Shape =>
  (value, place, problems) =>
    typeof value === 'string' ? whenText(value, place, problems) : other(value, place, problems);

/** Objects told apart by `type`, whose value the API writes into its paths; `untagged` stands for an object without one. */
export function tagged(variants: Fields, untagged?: string): Shape {
  const expected = Object.keys(variants)
    .map((tag) => `'${tag}'`)
    .join(', ');
  return (value, place, problems) => {
    if (!isRecord(value)) return refuse(problems, 'wrong-type', place, 'Input should be an object');
    const tag = value['type'] ?? untagged;
    if (tag === undefined) return refuse(problems, 'missing-type', place, "Unable to extract tag using discriminator 'type'");
    const shape = typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    if (shape) return shape(value, { up: place, key: String(tag), isTag: true }, problems);
    const found = typeof tag === 'object' ? 'object' : String(tag);
    const sentence = `Input tag '${found}' found using 'type' does not match any of the expected tags: ${expected}`;
    refuse(problems, 'unknown-type', place, sentence);
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
