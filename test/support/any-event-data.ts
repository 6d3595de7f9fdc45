import fc from 'fast-check';
import type { Rule } from '../../packages/protocol/shape/skeleton-rule.js';
import { EVENT_TYPES, EVENTS, type EventType } from '../../packages/protocol/events/events.js';

/** The types of events that an erasure can reach. */
export const ERASABLE = EVENT_TYPES.filter((type) => EVENTS[type].skeleton !== null);

/** No id, kind, number or time contains it, so whatever does is content. */
export const SECRET = 'a \u0001 secret';

const anyEventData = (type: EventType): fc.Arbitrary<unknown> => fc.oneof({ weight: 9, arbitrary: anyFor({ members: EVENTS[type].skeleton ?? {} }) }, noise);

const noise: fc.Arbitrary<unknown> = fc.oneof(fc.constant(SECRET), fc.constant('fine'), fc.constant(null), fc.jsonValue({ maxDepth: 2 }));

function anyFor(rule: Rule): fc.Arbitrary<unknown> {
  const others = 'else' in rule && rule.else ? [anyFor(rule.else)] : [];
  return fc.oneof({ weight: 6, arbitrary: fitting(rule) }, noise, ...others);
}

function fitting(rule: Rule): fc.Arbitrary<unknown> {
  if ('const' in rule) return fc.constant(rule.const);
  if ('keep' in rule) return fc.oneof(...rule.keep.map(ofKind));
  if ('items' in rule) return fc.array(anyFor(rule.items), { maxLength: 3 });
  if ('entries' in rule) return fc.dictionary(fc.string({ maxLength: 4 }), anyFor(rule.entries), { maxKeys: 3 });
  if ('by' in rule)
    return fc.oneof(...Object.entries(rule.cases).map(([value, one]) => fitting(one).map((data) => ({ ...(data as object), [rule.by]: value }))));
  const members = Object.fromEntries(Object.entries(rule.members).map(([name, member]) => [name, anyFor(member)]));
  const more = fc.dictionary(fc.constantFrom('text', 'content', 'more', '__proto__', 'type'), noise, { maxKeys: 2 });
  return fc.tuple(fc.record(members, { requiredKeys: [] }), more).map(([named, other]) => ({ ...named, ...other }));
}

function ofKind(kind: string): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'null':
      return fc.constant(null);
    case 'true':
      return fc.constant(true);
    case 'number':
      return fc.oneof(
        fc.nat(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.parse(JSON.stringify(value)) as number),
      );
    case 'boolean':
      return fc.boolean();
    default:
      return fc.stringMatching(new RegExp(kind.replace('[ -\\[\\]-~\\u00a0-\\ud7ff]', '[ -Z]').replace(/\{1,(128|200)\}/, '{1,9}')));
  }
}

/** Of any type, with data: what its skeleton keeps or not, of the right kind or not, with members that no skeleton knows. */
export const someEvent = (): fc.Arbitrary<readonly [EventType, unknown]> =>
  fc.oneof(...ERASABLE.map((type) => anyEventData(type).map((data) => [type, data] as const)));
