import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '../../../packages/protocol/errors.js';
import { skeletonData } from '../../../packages/protocol/events/skeleton.js';
import { EVENT_TYPES } from '../../../packages/protocol/events/events.js';
import { EventReader } from './event-reader.js';
import { coveredOf } from '../../../packages/proofs/verification/chain-row.js';
import { type LogRow, logRow } from './log-row.js';

const HASH = 'ab'.repeat(32);
const EPOCH = BigInt(Date.UTC(2000)) * 1_000n;

/** As the database makes it from a row. */
function read(given: { schema: number; id: string; seq: number; type: string; time: number; actor: unknown; erased?: boolean }, data: unknown): LogRow {
  const microseconds = BigInt(given.time) * 1_000n - EPOCH;
  const covered = coveredOf({ eventId: given.id, commandId: given.id, schemaVersion: given.schema, microseconds, digest: HASH });
  const seq = given.seq.toString(16).padStart(16, '0');
  const head = `${seq}${covered}${HASH}${given.erased ? '' : HASH.slice(32)} ${given.type.length},${given.type}${JSON.stringify(given.actor)}`;
  return logRow({ head, data: JSON.stringify(data) })!;
}

const row = fc.record({
  schema: fc.constant(1),
  id: fc.uuid(),
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  type: fc.constantFrom(...EVENT_TYPES),
  time: fc.oneof(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.integer({ min: 1_900_000_000_000, max: 1_900_000_003_000 })),
  actor: fc.record({ kind: fc.constantFrom('user', 'system'), id: fc.string({ unit: 'grapheme' }) }),
  erased: fc.boolean(),
});

it('reads of a row what was written', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const reader = new EventReader('s');
      for (const { schema, id, seq, type, time, actor, erased } of rows) {
        const data = { id };
        expect(reader.read(read({ schema, id, seq, type, time, actor, erased }, data))).toEqual({
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
        const given = { schema: 1, id: '6f1ed002-ab5b-4a15-9d0a-1d0f3b6c2d1e', seq: 1, type: 'message.appended', time: 0, actor: { kind: 'user', id: 'u' } };
        expect(reader.read(read(given, data)).data).toEqual(data);
      }
    }),
  );
});

it('reports a type or version of a newer build', () => {
  for (const [schema, type] of [
    [1, 'session.invented'],
    [2, 'session.closed'],
  ] as const) {
    const given = { schema, id: '6f1ed002-ab5b-4a15-9d0a-1d0f3b6c2d1e', seq: 1, type, time: 0, actor: { kind: 'user', id: 'u' } };
    expect(() => new EventReader('s').read(read(given, {}))).toThrow(DomainError);
  }
});
