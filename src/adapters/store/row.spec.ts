import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '../../core/errors.js';
import { skeletonData } from '../../core/session/skeleton.js';
import { SCHEMA_VERSIONS } from '../../core/session/upcast.js';
import { EventReader } from './row.js';

const row = fc.record({
  schema: fc.constant(1),
  id: fc.uuid(),
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  type: fc.constantFrom(...Object.keys(SCHEMA_VERSIONS)),
  time: fc.oneof(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.integer({ min: 1_900_000_000_000, max: 1_900_000_003_000 })),
  actor: fc.record({ kind: fc.constantFrom('user', 'system'), id: fc.string({ unit: 'grapheme' }) }),
  erased: fc.boolean(),
});

it('reads the head of an event as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const reader = new EventReader('s');
      for (const { schema, id, seq, type, time, actor, erased } of rows) {
        const head = JSON.stringify([schema, id, seq, type, time, actor, ...(erased ? [true] : [])]);
        const data = { id };
        expect(reader.read({ head, data })).toEqual({
          id,
          seq,
          type,
          time: new Date(time).toISOString(),
          sessionId: 's',
          actor,
          ...(erased ? { data: skeletonData(type, data) ?? data, erased } : { data }),
        });
      }
    }),
  );
});

const few = fc.constantFrom('a', 'b', 'c');
const answer = fc.record({ model: few }, { requiredKeys: [] });
const message = fc.oneof(
  fc.record({ type: fc.constant('user'), uuid: few, parentUuid: fc.option(few), timestamp: few }),
  fc.record({ type: fc.constant('assistant'), uuid: few, parentUuid: fc.option(few), timestamp: few, message: answer }),
);

it('leaves the data of messages what they are, whatever the messages before them repeat', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ message, turnId: fc.option(few) }, { requiredKeys: ['turnId'] })), (messages) => {
      const reader = new EventReader('s');
      for (const data of messages) {
        const head = JSON.stringify([1, '6f1ed002-ab5b-4a15-9d0a-1d0f3b6c2d1e', 1, 'message.appended', 0, { kind: 'user', id: 'u' }]);
        expect(reader.read({ head, data: structuredClone(data) }).data).toEqual(data);
      }
    }),
  );
});

it('reports a type or version of a newer build', () => {
  for (const [schema, type] of [
    [1, 'session.invented'],
    [2, 'session.closed'],
  ]) {
    const head = JSON.stringify([schema, '6f1ed002-ab5b-4a15-9d0a-1d0f3b6c2d1e', 1, type, 0, { kind: 'user', id: 'u' }]);
    expect(() => new EventReader('s').read({ head, data: {} })).toThrow(DomainError);
  }
});
