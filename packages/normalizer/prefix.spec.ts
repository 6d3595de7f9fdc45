import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PrefixDigests, RecordedSentRequest } from '../protocol/events/events.js';
import { sendRequest } from '../../src/session/state/evolve-request.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { comparePrefix, recordPrefix } from './prefix.js';

/** Most digests that a request records, whatever the length of its conversation. */
const BOUND = 64;

/** Digests of a conversation: chained, as those of payloads are. */
function digestsOf(messages: readonly string[]): PrefixDigests {
  let chain = 0;
  const digests = messages.map((message) => `${(chain = hashOf(`${chain} ${message}`))}`);
  return { system: 's', tools: 't', messages: digests, tail: messages.slice(-2).map((message) => [message]) };
}

/** Differs for the few texts of a test; not a digest. */
const known = new Map<string, number>();
const hashOf = (text: string): number => known.get(text) ?? (known.set(text, known.size + 1), known.size);

function send(state: SessionState, requestId: string, digests: PrefixDigests): RecordedSentRequest['prefix'] {
  const prefix = recordPrefix(state.lastSent?.digests ?? null, digests);
  const sent = { requestId, turnId: 't', prefix } as RecordedSentRequest;
  sendRequest(state, JSON.parse(JSON.stringify(sent)) as RecordedSentRequest, 1, '2030-01-01T00:00:00.000Z');
  return prefix;
}

/** Conversations of one session: each keeps so many messages of the one before and adds some. */
const conversations = fc
  .array(fc.record({ kept: fc.double({ min: 0, max: 1, noNaN: true }), isWhole: fc.boolean(), added: fc.nat(300) }), { minLength: 1, maxLength: 6 })
  .map((steps) => {
    let count = 0;
    let now: readonly string[] = [];
    return steps.map(({ kept, isWhole, added }) => {
      const rest = isWhole ? now : now.slice(0, Math.floor(kept * now.length));
      now = [...rest, ...Array.from({ length: added + 1 }, () => `m${(count += 1)}`)];
      return now;
    });
  });

describe('the recorded prefix of a request', () => {
  it('is bounded, tells an extension exactly, and never claims more than is shared', () => {
    fc.assert(
      fc.property(conversations, (all) => {
        const state = emptyState();
        let before: PrefixDigests | null = null;
        for (const [index, messages] of all.entries()) {
          const digests = digestsOf(messages);
          if (before && state.lastSent) {
            const exact = comparePrefix(before, digests);
            const recorded = comparePrefix(state.lastSent.digests, digests);
            expect(recorded.shared).toBeLessThanOrEqual(exact.shared);
            expect(recorded.brokenAt === undefined).toBe(exact.brokenAt === undefined);
            if (!recorded.isLowerBound) expect(recorded).toEqual(exact);
          }
          expect(send(state, `r${index}`, digests).messages.length).toBeLessThanOrEqual(BOUND);
          expect(state.lastSent!.digests.messages).toHaveLength(messages.length);
          expect(state.requestPrefixes.get(`r${index}`)!.messages).toBe(digests.messages.at(-1));
          before = digests;
        }
      }),
    );
  });

  it('records every digest of a few new messages', () => {
    const state = emptyState();
    const first = Array.from({ length: 500 }, (_, index) => `a${index}`);
    expect(send(state, 'r1', digestsOf(first)).at).toHaveLength(BOUND);
    const next = digestsOf([...first, 'b', 'c']);
    expect(send(state, 'r2', next)).toEqual({ ...next, messages: next.messages.slice(-2), shared: 500 });
  });
});
