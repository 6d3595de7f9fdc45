import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sendRequest } from '../../src/session/state/evolve-request.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { assistant, call, conversation, image, MODEL, PIXEL, result, sha256, text, user, uuidAt } from '../../test/support/normalize/build.js';
import { hostileTranscript } from '../../test/support/normalize/hostile.js';
import type { RecordedSentRequest } from '../protocol/events/events.js';
import { DEFAULT_NORMALIZE_GATES } from '../protocol/gates.js';
import { mapInlineBytes } from './media/out-of-line.js';
import type { Json } from '../protocol/message/content.js';
import type { Message } from '../protocol/message/message.js';
import { RecordedRequest } from '../protocol/request/recorded-request.js';
import type { SentBody } from '../protocol/request/sent-body.js';
import { type BuiltPayload, buildPayload, type PayloadInput, sentMessages } from './build-payload.js';
import type { SentMessages } from './continue-payload.js';
import { EmbeddedMessages } from './embedded-messages.js';
import { NormalizationCache } from './normalization-cache.js';
import { recordPrefix } from './prefix.js';
import { recordBody } from './record-body.js';

type Settings = Pick<PayloadInput, 'system' | 'tools' | 'model' | 'context' | 'maxTokens'>;
type Sent = { readonly requestId: string; readonly input: PayloadInput; readonly stored: readonly Message[]; readonly view: BuiltPayload };

/** A session that sends requests: each is recorded as JSON, as a log does it. */
class Sender {
  readonly state: SessionState = { ...emptyState(), bodies: new Map() };
  readonly sent: Sent[] = [];
  readonly #files = new Map<string, string>();
  readonly #embedded = new EmbeddedMessages();
  readonly #cache = new NormalizationCache();
  #last: SentMessages | null = null;
  readonly base64Of = (file: string): string | undefined => this.#files.get(file);

  /** Bytes of images are stored as files. */
  stored(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) =>
      message.type === 'user' && !message.isVirtual
        ? (mapInlineBytes(message as unknown as Json, ({ mediaType, base64 }) => {
            const hash = sha256(base64);
            this.#files.set(hash, base64);
            return { type: 'blob', media_type: mediaType, sha256: hash, bytes: base64.length };
          }) as unknown as Message)
        : message,
    );
  }

  send(stored: readonly Message[], settings: Settings): void {
    const requestId = `r${this.sent.length}`;
    this.#embedded.add(stored, this.base64Of);
    const input: PayloadInput = { ...settings, messages: this.#embedded.of(stored), systemContext: {}, gates: DEFAULT_NORMALIZE_GATES };
    const { lastSent } = this.state;
    const view = buildPayload(input, sha256, false, this.#cache, this.#last);
    this.#last = sentMessages(input, view);
    const base = lastSent?.conversation ? { requestId: lastSent.request.requestId, conversation: lastSent.conversation, digests: lastSent.digests } : null;
    const recorded = {
      ...{ input, stored, isStored: () => true },
      filesOf: (message: Message) => this.#embedded.filesOf(message),
    };
    const body = recordBody(view, recorded, base);
    const request = { requestId, turnId: 't', prefix: recordPrefix(lastSent?.digests ?? null, view.prefixDigests), body };
    sendRequest(this.state, JSON.parse(JSON.stringify(request)) as RecordedSentRequest, this.sent.length + 1, '2030-01-01T00:00:00.000Z');
    this.sent.push({ requestId, input, stored, view });
  }

  request({ requestId, stored }: Sent, bodies: ReadonlyMap<string, SentBody | null> = this.state.bodies!): RecordedRequest {
    const messages = new Map(stored.map((message) => [message.uuid, JSON.parse(JSON.stringify(message)) as Message]));
    return new RecordedRequest(requestId, { body: (id) => bodies.get(id), message: (uuid) => messages.get(uuid) });
  }

  expectRebuilt(): void {
    for (const sent of this.sent) {
      const request = this.request(sent);
      expect(request.body(this.base64Of)).toBe(sent.view.body);
      expect(JSON.parse(JSON.stringify(request.conversation))).toEqual(JSON.parse(JSON.stringify(sent.stored)));
      const { trace } = buildPayload(sent.input, sha256);
      expect(targetsOf(request.trace)).toEqual(targetsOf(trace));
      expect(textsOf(trace)).toEqual(expect.arrayContaining([...textsOf(request.trace)]));
    }
  }
}

const textsOf = (trace: BuiltPayload['trace']): readonly string[] => trace.map((entry) => JSON.stringify(entry));

/**
 * Where each block is sent. The end of a conversation is explained without what was before it: of hostile conversations, an entry on the way there may be missing, such as
 * a move over one that is not sent. Of those that the turn engine writes, no entry is: simulated runs compare whole traces.
 */
const targetsOf = (trace: BuiltPayload['trace']): readonly string[] => [...new Set(trace.map(({ source, target }) => JSON.stringify([source, target])))].sort();

const PLAIN: Settings = { system: null, tools: [], model: MODEL, context: {}, maxTokens: 1_000 };

const settings: fc.Arbitrary<Settings> = fc.record({
  system: fc.constantFrom(null, 'Be brief.', 'Antworte auf Deutsch: "ä" \u2028'),
  tools: fc.constantFrom(
    [],
    [{ name: 'Read', input_schema: { type: 'object' } }],
    [
      { name: 'Read', input_schema: {} },
      { name: 'Late', input_schema: {}, defer_loading: true as const },
    ],
  ),
  model: fc.constantFrom(MODEL, MODEL, 'claude-haiku-4-5'),
  context: fc.constantFrom<Settings['context']>({}, {}, { date: 'today' }),
  maxTokens: fc.constantFrom(1_000, 64_000),
});

/** Requests of one session: the conversation grows, goes back, and changes its settings. */
const requests = fc.tuple(
  hostileTranscript,
  hostileTranscript,
  fc.array(fc.record({ upTo: fc.double({ min: 0, max: 1, noNaN: true }), other: fc.boolean(), settings, isSame: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
);

describe('the recorded body of a request', () => {
  it('rebuilds every request byte for byte, with what it was made from and what the passes did, whatever the session did in between', () => {
    fc.assert(
      fc.property(requests, ([one, two, steps]) => {
        const sender = new Sender();
        const first = sender.stored(one);
        // The other branch shares the first half.
        const half = Math.floor(first.length / 2);
        const second = [...first.slice(0, half), ...sender.stored(two).map((message, index) => ({ ...message, uuid: uuidAt(1_000 + index) }))];
        for (const step of steps) {
          const branch = step.other ? second : first;
          sender.send(branch.slice(0, Math.ceil(step.upTo * branch.length)), step.isSame ? PLAIN : step.settings);
        }
        sender.expectRebuilt();
      }),
      { numRuns: 300 },
    );
  });

  it('grows with what is new, refers to stored blocks and to files, and explains the end of the conversation alone', () => {
    const sender = new Sender();
    const turns = Array.from({ length: 40 }, (_, turn) => [
      user([image(PIXEL), text(`question ${turn} ${'x'.repeat(500)}`)]),
      assistant(`m${turn}`, [text('looking'), { ...call(`c${turn}`, { path: 'a' }), caller: { type: 'direct' } }]),
      user([result(`c${turn}`, [text('found'), image(PIXEL)])]),
      assistant(`n${turn}`, [text('done')]),
    ]).flat();
    const all = sender.stored(conversation(...turns, user('and now?')));
    for (let end = 1; end <= all.length; end += 2)
      sender.send(all.slice(0, end), { ...PLAIN, system: 'Be brief.', tools: [{ name: 'Read', input_schema: {} }] });
    sender.expectRebuilt();
    const bodies = [...sender.state.bodies!.values()].map((body) => body!);
    const last = bodies.at(-1)!;
    expect(JSON.stringify(last)).not.toContain('question');
    expect(JSON.stringify(bodies)).not.toContain(PIXEL);
    expect(JSON.stringify(last).length).toBeLessThan(1_000);
    expect(
      bodies.slice(1).every(({ trace, conversation: { keep }, system, tools }) => trace.from > 0 && keep > 0 && system === undefined && tools === undefined),
    ).toBe(true);
    expect(bodies[1]!.messages.added[0]!.content).toContainEqual({ of: [1, 1], without: ['caller'] });
  });

  it('says of a result whether its call had one in an earlier request', () => {
    const sender = new Sender();
    const late = user([result('c', 'twice'), result('other', 'x'), text('so?')]);
    const all = sender.stored(
      conversation(user('look'), assistant('m', [call('c')]), user([result('c', 'once')]), assistant('n', [text('done')]), late, user('well?')),
    );
    for (const end of [1, 3, 5, 6]) sender.send(all.slice(0, end), PLAIN);
    sender.expectRebuilt();
    for (const sent of sender.sent.slice(2)) {
      const reasons = sender.request(sent).trace.flatMap(({ action, reason }) => (action === 'dropped' ? [reason] : []));
      expect(reasons).toEqual(['a result for this call was already given', 'no call waits for this result']);
    }
  });

  it('says of which request, and where, what is missing', () => {
    const sender = new Sender();
    const all = sender.stored(conversation(user('one'), assistant('m', [text('two')]), user([image(PIXEL)])));
    sender.send(all.slice(0, 1), PLAIN);
    sender.send(all, PLAIN);
    const second = sender.sent[1];
    const changed = (change: (body: SentBody) => object): (() => string) => {
      const bodies = new Map(sender.state.bodies);
      const body = bodies.get('r1')!;
      bodies.set('r1', { ...body, ...change(body) });
      return () => sender.request(second!, bodies).body(sender.base64Of);
    };
    const broken = (text: RegExp) => expect.objectContaining({ name: 'BrokenRecord', message: expect.stringMatching(text) });
    expect(changed(() => ({}))()).toBe(second!.view.body);
    expect(changed(() => ({ base: 'r7' }))).toThrow(broken(/request r1 cannot be rebuilt: the body of request r7 is missing/));
    expect(changed(() => ({ base: 'r1' }))).toThrow(broken(/is its own base/));
    expect(changed(({ messages }) => ({ messages: { ...messages, keep: 3 } }))).toThrow(broken(/an earlier request, which has none there/));
    expect(changed(({ conversation: { keep } }) => ({ conversation: { keep, added: ['lost'] } }))).toThrow(broken(/the message lost is missing/));
    expect(changed(({ markers }) => ({ markers: { ...markers, messages: [9] } }))).toThrow(broken(/no message 9/));
    expect(changed(() => ({ messages: { keep: 1, added: [{ role: 'user', content: [{ of: [0, 4] }] }] } }))).toThrow(broken(/has no block 4/));
    expect(() => sender.request(second!).body(() => undefined)).toThrow(expect.objectContaining({ name: 'MissingBlob' }));
    expect(() =>
      sender.request(
        second!,
        new Map([
          ['r1', sender.state.bodies!.get('r1')!],
          ['r0', null],
        ]),
      ),
    ).toThrow(broken(/request r0 is erased/));
  });
});
