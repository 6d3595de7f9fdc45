import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { fold, evolve } from './evolve.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { branch, path } from './tree.js';

const message = (uuid: string, parentUuid: string | null, content: string): unknown => ({ type: 'user', uuid, parentUuid, timestamp: '', content });

/** An event of a session with `written` messages: a message below one of them, which may replace one, or a rewind to one. */
const steps = fc.array(fc.record({ kind: fc.constantFrom('append', 'append', 'append', 'replace', 'rewind'), at: fc.nat() }), { maxLength: 30 });

it('the path that continues the one before is the path that is walked from head to root', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const state = fold([]);
      const written: string[] = [];
      for (const [index, { kind, at }] of given.entries()) {
        const one = written.length === 0 ? null : written[at % written.length]!;
        const event = { seq: state.version + 1, type: 'message.appended', actor: { kind: 'system', id: 'worker' }, time: '', data: {} };
        if (kind === 'rewind') state.head = one;
        else if (kind === 'replace' && one !== null) {
          const { parentUuid } = state.messages.get(one)!.message;
          evolve(state, { ...event, data: { message: message(one, parentUuid, `again ${index}`), turnId: null } } as SessionEvent);
        } else {
          written.push(`m${index}`);
          evolve(state, { ...event, data: { message: message(`m${index}`, state.head, ''), turnId: null } } as SessionEvent);
        }
        expect(path(state)).toEqual(branch(state, state.head, null));
      }
    }),
    runs(300),
  );
});
