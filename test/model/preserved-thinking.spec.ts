import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { compose } from '../../src/engine/model/offline/compose.js';
import { AnswerStream } from '../../src/engine/model/stream.js';
import type { ContentBlock } from '../../packages/protocol/message/content.js';
import { INTERRUPTED } from '../../packages/protocol/message/wire-texts.js';
import type { NewEvent, RecordedSentRequest, SessionEvent, SessionSettings } from '../../packages/protocol/events/events.js';
import { evolve, fold } from '../../src/session/state/evolve.js';
import { path } from '../../src/session/state/tree.js';
import { buildPayload, type BuiltPayload } from '../../packages/normalizer/build-payload.js';
import { recordPrefix } from '../../packages/normalizer/prefix.js';
import { payloadInput } from '../../src/session/payload/payload-input.js';
import { uuidAt } from '../support/normalize/build.js';
import { DEFAULT_NORMALIZE_GATES } from '../../packages/protocol/gates.js';

/** The offline model signs thinking with its prefix and rejects it after any other prefix, so an accepted request proves that the prefix is unchanged. */

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const TIME = '2000-01-01T00:00:00.000Z';
const TOOL = { name: 'f', input_schema: { type: 'object' } };
const SETTINGS: SessionSettings = {
  title: null,
  model: 'claude-sonnet-5-5',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: { allow: [], deny: [], ask: [] },
  tools: [TOOL],
  metadata: {},
};

class Session {
  readonly #log: SessionEvent[] = [];
  readonly #state = fold([]);
  #uuids = 0;

  constructor() {
    this.#append({ type: 'session.created', data: { settings: SETTINGS } });
  }

  configure(changes: Partial<SessionSettings>): void {
    this.#append({ type: 'session.configured', data: { changes } });
  }

  /** Sends requests until the model makes no more calls. */
  ask(prompt: string): BuiltPayload {
    this.add({ type: 'user', content: [{ type: 'text', text: prompt }] });
    for (;;) {
      const { view, requestId, content } = this.#answer();
      this.add({ type: 'assistant', message: this.#message(view, requestId, content), requestId });
      const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      if (calls.length === 0) return view;
      this.add({ type: 'user', isMeta: true, content: calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })) });
      this.add({ type: 'attachment', attachment: { type: 'hook_additional_context', hookName: 'PostToolUse:f', content: ['noted'] } });
    }
  }

  /** The user interrupts the response after this many blocks. */
  interrupt(prompt: string, blocks: number): void {
    this.add({ type: 'user', content: [{ type: 'text', text: prompt }] });
    const { view, requestId, content } = this.#answer();
    const kept = content.slice(0, blocks).filter(({ type }) => type !== 'tool_use');
    if (kept.length > 0) this.add({ type: 'assistant', message: { ...this.#message(view, requestId, kept), stop_reason: null }, requestId });
    this.add({ type: 'user', content: [{ type: 'text', text: INTERRUPTED }] });
  }

  rewind(share: number): void {
    const messages = path(this.#state);
    const to = messages[Math.floor(share * messages.length)]?.message.uuid ?? null;
    this.#append({
      type: 'session.rewound',
      data: { rewindId: this.#uuid(), from: this.#state.head, to, removed: [], permissionMode: 'default', reason: null },
    });
  }

  /** The provider rejected a block of a message, which is omitted from then on. */
  refuse(share: number): void {
    const messages = path(this.#state);
    const blockUuid = messages[Math.floor(share * messages.length)]?.message.uuid;
    if (blockUuid === undefined) return;
    const message = { id: 'e', role: 'assistant', model: '<synthetic>', content: [], stop_reason: null };
    this.add({ type: 'assistant', message, isApiErrorMessage: true, apiError: { type: 'block_rejected', blockUuid, index: 0 } });
  }

  add(fields: object): void {
    const message = { uuid: this.#uuid(), parentUuid: this.#state.head, timestamp: TIME, ...fields };
    this.#append({ type: 'message.appended', data: { message, turnId: null } } as unknown as NewEvent);
  }

  view(): BuiltPayload {
    return buildPayload(payloadInput(this.#state, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1_000 }), sha256);
  }

  /** Rebuilds every request from the log. */
  verify(): void {
    for (const { data } of this.#log.filter((event): event is Extract<SessionEvent, { type: 'request.sent' }> => event.type === 'request.sent')) {
      const then = fold(this.#log.slice(0, data.at));
      expect(buildPayload(payloadInput(then, { gates: DEFAULT_NORMALIZE_GATES, maxTokens: 1_000, model: data.model }), sha256).digest).toBe(data.digest);
    }
  }

  #answer() {
    const view = this.view();
    const requestId = this.#uuid();
    const at = this.#state.version;
    const prefix = recordPrefix(this.#state.lastSent?.digests ?? null, view.prefixDigests);
    this.#append({
      type: 'request.sent',
      data: { requestId, turnId: 't', at, model: view.payload.model, digest: view.digest, prefix } as unknown as RecordedSentRequest,
    });
    const script = compose(view.body, 1, requestId);
    if (script.kind === 'error') throw new Error(script.message);
    const stream = new AnswerStream(() => {});
    for (const event of script.events) stream.take(event);
    return { view, requestId, content: stream.answer().message.content };
  }

  #message = ({ payload: { model } }: BuiltPayload, id: string, content: readonly ContentBlock[]) => ({
    id,
    role: 'assistant',
    model,
    content,
    stop_reason: 'end_turn',
  });

  #uuid = (): string => uuidAt((this.#uuids += 1));

  #append(event: NewEvent): void {
    const stored = { ...event, id: '', seq: this.#log.length + 1, time: TIME, sessionId: 's', actor: { kind: 'user', id: 'u' } } as SessionEvent;
    this.#log.push(stored);
    evolve(this.#state, stored);
  }
}

const thoughtsIn = ({ payload }: BuiltPayload): readonly string[] =>
  payload.messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])));
const reasonsFor = ({ trace }: BuiltPayload): readonly string[] => trace.flatMap(({ action, pass }) => (action === 'dropped' ? [pass] : []));

describe('thinking with an unchanged prefix', () => {
  const aPrompt = fc.constantFrom(
    'hello',
    '{{think a}}{{say b}}',
    '{{think a}}{{think b}}{{say c}}',
    '{{think a}}{{tool f {}}}',
    '{{think a}}{{say b}}{{tool f {}}}{{tool f {}}}',
    '{{think only}}{{say }}',
  );
  const aShare = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const aChange = fc.constantFrom<Partial<SessionSettings>[]>(
    { system: 'Be brief.' },
    { system: null },
    { context: { rule: 'one' } },
    { context: {} },
    { systemContext: { date: 'today' } },
    { tools: [TOOL, { name: 'g', input_schema: { type: 'object' } }] },
    { tools: [TOOL] },
    { model: 'claude-sonnet-5-5' },
    { model: 'claude-haiku-5-5' },
    { model: 'claude-opus-4-6' },
    { model: 'claude-fable-5' },
    { model: 'claude-next-7' },
  );
  const aStep = fc.oneof(
    {
      weight: 5,
      arbitrary: aPrompt.map(
        (prompt) =>
          (session: Session): unknown =>
            session.ask(prompt),
      ),
    },
    {
      weight: 2,
      arbitrary: aChange.map(
        (change) =>
          (session: Session): unknown =>
            session.configure(change),
      ),
    },
    {
      weight: 1,
      arbitrary: aShare.map(
        (share) =>
          (session: Session): unknown =>
            session.rewind(share),
      ),
    },
    {
      weight: 1,
      arbitrary: aShare.map(
        (share) =>
          (session: Session): unknown =>
            session.refuse(share),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(aPrompt, fc.nat(3)).map(
        ([prompt, blocks]) =>
          (session: Session): unknown =>
            session.interrupt(prompt, blocks),
      ),
    },
  );

  it('is the only thinking sent, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 12 }), (steps) => {
        const session = new Session();
        for (const step of steps) step(session);
        session.ask('and now?');
        session.verify();
      }),
      { numRuns: 300 },
    );
  });

  it('is sent while its prefix is unchanged', () => {
    fc.assert(
      fc.property(fc.array(aPrompt, { maxLength: 6 }), (prompts) => {
        const session = new Session();
        for (const prompt of prompts) session.ask(prompt);
        session.configure({ title: 'other' });
        const thoughts = prompts.flatMap((prompt) => [...prompt.matchAll(/\{\{think (\w+)/g)].map(([, thought]) => thought));
        expect(thoughtsIn(session.view())).toEqual(thoughts);
      }),
    );
  });

  const two = (): Session => {
    const session = new Session();
    session.ask('{{think one}}{{say a}}');
    session.ask('{{think two}}{{say b}}');
    return session;
  };

  it.each<[string, Partial<SessionSettings>]>([
    ['the system prompt', { system: 'Be brief.' }],
    ['a value in it', { systemContext: { date: 'today' } }],
    ['the context in front of the conversation', { context: { rule: 'one' } }],
    ['the tools', { tools: [] }],
  ])('is dropped when %s changes; thinking after the change is sent', (_, changes) => {
    const session = two();
    session.configure(changes);
    expect(reasonsFor(session.view())).toEqual(['drop-detached-thinking', 'drop-detached-thinking']);
    session.ask('{{think three}}{{say c}}');
    expect(thoughtsIn(session.ask('go on'))).toEqual(['three']);
  });

  it('is dropped from the first change on; thinking before the change is sent', () => {
    const session = two();
    session.refuse(0.5);
    expect(thoughtsIn(session.view())).toEqual(['one']);
    session.ask('{{think three}}{{say c}}');
    expect(thoughtsIn(session.view())).toEqual(['one', 'three']);
  });

  it('is sent after a rewind that keeps it', () => {
    const session = two();
    session.rewind(0.25);
    expect(thoughtsIn(session.ask('go on'))).toEqual(['one']);
  });

  it('is dropped for another model family and sent again after switching back', () => {
    const session = two();
    session.configure({ model: 'claude-haiku-5-5' });
    expect(reasonsFor(session.view())).toEqual(['drop-other-model-thinking', 'drop-other-model-thinking']);
    expect(thoughtsIn(session.ask('{{think three}}{{say c}}'))).toEqual([]);
    session.configure({ model: 'claude-sonnet-5-5' });
    expect(thoughtsIn(session.ask('go on'))).toEqual(['one', 'two']);
  });

  it('is shared among older models, which do not bind signatures', () => {
    const session = new Session();
    session.configure({ model: 'claude-opus-4-6' });
    session.ask('{{think one}}{{say a}}');
    session.configure({ model: 'claude-sonnet-4-5-20250929', system: 'Be brief.' });
    expect(thoughtsIn(session.view())).toEqual(['one']);
  });

  it('is dropped when its prefix is unknown', () => {
    const session = new Session();
    session.add({ type: 'user', content: 'q' });
    const content = [
      { type: 'thinking', thinking: 'elsewhere', signature: 'c2ln' },
      { type: 'text', text: 'a' },
    ];
    session.add({
      type: 'assistant',
      message: { id: 'm', role: 'assistant', model: 'claude-sonnet-5-5', content, stop_reason: 'end_turn' },
      requestId: 'of another session',
    });
    expect(reasonsFor(session.view())).toEqual(['drop-unattributed-thinking']);
  });
});
