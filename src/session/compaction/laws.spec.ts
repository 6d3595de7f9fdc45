import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { noDigest, view } from '../../../test/support/normalize/build.js';
import { hostileTranscript, orderlyConversation } from '../../../test/support/normalize/hostile.js';
import { MODELS } from '../../../test/support/normalize/models.js';
import { runs } from '../../../test/support/property-runs.js';
import { AT, message, seed, session, SETTINGS, submission } from '../../../test/support/given-session.js';
import { RESULT_MISSING } from '../../../packages/protocol/message/wire-texts.js';
import type { Message, StoredMessage } from '../../../packages/protocol/message/message.js';
import type { Command } from '../state/commands.js';
import type { RecordedSentRequest } from '../../../packages/protocol/events/events.js';
import { emptyState, type SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { readTranscript } from '../transcript/transcript.js';
import { contextEntries } from '../payload/conversation.js';
import { payloadInput } from '../payload/payload-input.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { COMPACT } from './requested.js';
import { segmentsOf, removedByCompactions } from '../../../packages/normalizer/segments.js';
import { planCompaction, readingOf } from './plan.js';
import { summaryRequest } from './request.js';
import { summaryIds } from './summary.js';
import { turnsIn } from './turns.js';
import type { CompactionLimits } from '../state/compaction-limits.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';

const LIMITS: CompactionLimits = { auto: true, atShare: 0.8, keepTurns: 2, keepShare: 0.25, windowTokens: null, maxOutputTokens: 1_000 };

/** A session that holds these messages and nothing else, as after an import. */
function imported(messages: readonly Message[]): SessionState {
  const state = emptyState();
  state.version = 1;
  state.settings = SETTINGS;
  for (const each of messages)
    if (each.type !== 'progress') state.messages.set(each.uuid, { message: each, seq: 1, depth: 0, turnId: null, promptId: null, files: null, userId: null });
  state.head = [...state.messages.keys()].at(-1) ?? null;
  return state;
}

const stored = (messages: readonly Message[]): readonly StoredMessage[] =>
  messages.filter((each): each is StoredMessage => each.type !== 'progress').map((each, index, all) => ({ ...each, parentUuid: all[index - 1]?.uuid ?? null }));

const uuids = (messages: readonly Message[]): readonly string[] => messages.map(({ uuid }) => uuid);

/** Boundaries and summaries of any content at any place. */
const aBoundary = fc.record({
  at: fc.nat(20),
  kept: fc.nat(20),
  after: fc.nat(20),
  variant: fc.constantFrom('all', 'list', 'none', 'nonsense'),
  list: fc.array(fc.nat(20), { maxLength: 6 }),
  summaries: fc.nat(2),
});

describe('compactions, anywhere on a branch', () => {
  it('keep every message for readers; the model sees existing messages only, none twice, and each compaction separately', () => {
    fc.assert(
      fc.property(hostileTranscript, fc.array(aBoundary, { maxLength: 4 }), (messages, boundaries) => {
        const all: StoredMessage[] = [...stored(messages)];
        boundaries.forEach(({ at, kept, after, variant, list, summaries }, index) => {
          const pick = (n: number): string => all[n % Math.max(all.length, 1)]?.uuid ?? 'none';
          const metadata =
            variant === 'all'
              ? { keptFrom: pick(kept), keptAfter: pick(after), compactionId: `c${index}` }
              : variant === 'list'
                ? { kept: list.map(pick), keptAfter: after % 3 === 0 ? `boundary ${index}` : `summary ${index} ${summaries - 1}` }
                : variant === 'none'
                  ? undefined
                  : { keptFrom: 7, keptAfter: [], compactionId: {} };
          const boundary = {
            type: 'system',
            uuid: `boundary ${index}`,
            subtype: 'compact_boundary',
            content: '',
            timestamp: '',
            ...(metadata ? { compactMetadata: metadata } : {}),
          };
          const summary = (n: number): object => ({ type: 'user', uuid: `summary ${index} ${n}`, content: 'so far', isCompactSummary: true, timestamp: '' });
          all.splice(at % (all.length + 1), 0, ...([boundary, ...Array.from({ length: summaries }, (_, n) => summary(n))] as StoredMessage[]));
        });
        const branch = stored(all);
        const { carried, kept, later } = segmentsOf(branch);
        const seen = uuids([...carried, ...kept, ...later]);
        expect(new Set(seen).size).toBe(seen.length);
        const known = new Set(uuids(branch));
        expect(seen.every((uuid) => known.has(uuid))).toBe(true);
        if (carried.length === 0) expect(later).toBe(branch);
        else expect(uuids(later)).toEqual(uuids(branch.slice(branch.length - later.length)));
        const removed = removedByCompactions(branch).flatMap((each) => each.removed);
        expect(new Set(removed).size).toBe(removed.length);
        const state = imported(branch);
        expect(uuids(readTranscript(state, { tombstones: true })).filter((uuid) => known.has(uuid))).toEqual(uuids(readTranscript(state)));
        expect(
          checkRequest(view([...carried, ...kept, ...later]).payload, profileFor('claude-sonnet-5-5')).filter(({ rule }) => rule !== 'messages-empty'),
        ).toEqual([]);
      }),
      runs(200),
    );
  });

  it('cut between turns only: no call without its result, no piece of an answer without the others', () => {
    fc.assert(
      fc.property(hostileTranscript, (messages) => {
        const branch = stored(messages);
        const spans = turnsIn(branch, () => null);
        expect(spans.map(({ from }) => from)).toEqual([...(branch.length > 0 ? [0] : []), ...spans.slice(0, -1).map(({ to }) => to)]);
        const spanOf = (index: number): number => spans.findIndex(({ from, to }) => from <= index && index < to);
        branch.forEach((each, index) => {
          if (each.type === 'assistant') {
            const first = branch.findIndex((other) => other.type === 'assistant' && other.message.id === each.message.id);
            expect(spanOf(first)).toBe(spanOf(index));
          }
          if (each.type !== 'user' || typeof each.content === 'string') return;
          for (const block of each.content) {
            if (block.type !== 'tool_result') continue;
            const call = branch
              .slice(0, index)
              .findLastIndex(
                (other) => other.type === 'assistant' && other.message.content.some((part) => part.type === 'tool_use' && part.id === block.tool_use_id),
              );
            if (call >= 0) expect(spanOf(call)).toBe(spanOf(index));
          }
        });
      }),
      runs(200),
    );
  });
});

describe('a compaction of any conversation', () => {
  const limits = fc
    .record({ keepTurns: fc.nat(3), keepShare: fc.constantFrom(0.0001, 0.25, 1), windowTokens: fc.constantFrom(null, 50, 500) })
    .map((given) => ({ ...LIMITS, ...given }));

  it('asks for the summary in a way that the model API accepts, keeps the latest turns word for word, and is undone by a rewind', () => {
    fc.assert(
      fc.property(orderlyConversation, limits, fc.constantFrom(...MODELS), fc.nat(3), ({ messages }, given, model, rejections) => {
        const scene = session();
        const imports = stored(messages);
        for (const each of imports) scene.append({ type: 'message.appended', data: { message: each, turnId: null } });
        const before = contextEntries(scene.state);
        const plan = planCompaction(scene.state, given);
        if (!plan) return;
        const reading = readingOf(plan, rejections, scene.state, given) ?? readingOf(plan, 0, scene.state, given)!;
        const compaction = { trigger: 'manual' as const, instructions: null, keptFrom: plan.keptFrom, preTokens: null, ...reading };
        const asked = payloadInput(scene.state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1_000, model, summary: { requestId: 'r1', ...compaction } });
        expect(checkRequest(buildPayload(asked, noDigest).payload, profileFor(model))).toEqual([]);
        const read = uuids(
          summaryRequest(
            path(scene.state).map((record) => record.message),
            { requestId: 'r1', ...compaction },
          ),
        );
        const summed = plan.summarized.flatMap((turn) => turn.messages);
        expect(read).toEqual([...uuids(reading.to === null && reading.from === null ? before : summed.slice(reading.omitted)), 'r1']);

        scene.when({
          type: 'SubmitPrompt',
          submission: { ...submission(1, ''), mode: 'compact', route: COMPACT },
          whenBusy: 'enqueue',
          maxQueued: 3,
          compaction: given,
        });
        scene.when({ type: 'PrepareTurn', turnId: 't1', messages: [], hookRuns: [], callsModel: true, checkpoints: [] });
        const request = {
          requestId: 'r1',
          turnId: 't1',
          ordinal: 1,
          at: scene.state.version,
          purpose: 'compaction',
          compaction,
          prefix: { shared: 0, system: '', tools: '', messages: [], tail: [] },
        };
        scene.when({ type: 'SendRequest', turnId: 't1', request: request as unknown as RecordedSentRequest });
        const ids = summaryIds(seed(1));
        const summary: Command = {
          ...{ type: 'RecordSummary', turnId: 't1', requestId: 'r1', compactionId: seed(1), at: AT },
          ...{ message: message([{ type: 'text', text: 'so far' }]), providerRequestId: null, durationMs: 1, isRepeated: false },
        };
        expect(scene.types(summary)).toContain('session.compacted');
        expect(scene.state.status).toBe('idle');

        const kept = plan.keptFrom === null ? [] : before.slice(before.findIndex(({ uuid }) => uuid === plan.keptFrom));
        const after = contextEntries(scene.state);
        expect(after.slice(0, 2).map(({ uuid }) => uuid)).toEqual([ids.boundary, ids.summary]);
        expect(after.slice(2)).toEqual(kept);
        const sent = buildPayload(payloadInput(scene.state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1_000, model }), noDigest).payload;
        expect(checkRequest(sent, profileFor(model))).toEqual([]);
        const was = buildPayload(
          { ...payloadInput(scene.state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1_000, model }), messages: before },
          noDigest,
        ).payload;
        if (!JSON.stringify(was).includes(RESULT_MISSING)) expect(JSON.stringify(sent)).not.toContain(RESULT_MISSING);
        const [gone] = removedByCompactions(path(scene.state).map((record) => record.message));
        expect([...gone!.removed, ...uuids(kept)]).toEqual(uuids(before));

        scene.when({ type: 'Rewind', rewindId: 'w1', target: { before: ids.boundary }, reason: null });
        expect(contextEntries(scene.state)).toEqual(before);
        scene.when({ type: 'Restore', rewindId: 'w1' });
        expect(contextEntries(scene.state)).toEqual(after);
      }),
      runs(100),
    );
  });
});
