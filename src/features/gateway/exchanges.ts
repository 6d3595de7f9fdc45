import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { may, TENANT } from '../../../packages/protocol/access/may.js';
import { type AuthorizedCaller, authorizedCaller, systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import { askedModels } from '../../../packages/protocol/request/asked-models.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { ProviderError } from '../../../packages/normalizer/provider-rejection.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { NO_PREFIX } from '../../../packages/normalizer/prefix.js';
import { Admission } from '../../engine/commands/admission.js';
import { OWN_REQUEST } from '../../engine/commands/context.js';
import { Executor } from '../../engine/commands/execute.js';
import { MediaIntake } from '../../engine/media/media-intake.js';
import { newSession } from '../../http/new-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import { Clock } from '../../ports/index.js';
import type { UserCommand } from '../../session/state/commands.js';
import type { Outcome } from './answer-reader.js';
import { answerUuid, idOfAnswer } from './answer-ids.js';
import { betasIn } from './betas.js';
import { clientOf, namedSession, parentGroup } from './client-ids.js';
import { FindSession, type Found } from './find-session.js';
import { historyOf } from './histories.js';
import { RecordedBodies } from './recorded-bodies.js';
import type { RepairedRequest } from './repaired-request.js';
import { Repairs } from './repairs.js';
import type { SentConversation } from './sent-conversation.js';
import type { PassedRequest } from './spool.js';
import { draftOf } from './stored-drafts.js';
import { type ContinuedThread, Threads } from './threads.js';

/** Further attempts to record a request while others of the same session are recorded. */
const ATTEMPTS = 10;

/** Records what goes to the model API and what comes back, as messages and requests of a session. */
@Injectable()
export class Exchanges {
  readonly #log = new Logger(Exchanges.name);
  readonly #bodies = new RecordedBodies();
  /** Requests of one session that were overtaken, by session. */
  readonly #turns = new KeyedMutex();

  constructor(
    private readonly find: FindSession,
    private readonly threads: Threads,
    private readonly repairs: Repairs,
    private readonly executor: Executor,
    private readonly admission: Admission,
    private readonly media: MediaIntake,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL_PROVIDER'>,
  ) {}

  /** For what is passed on without a record. Throws `forbidden`, `model_not_allowed` or `quota_exceeded`. `readBody`: the text of a body that is JSON; null: it has none. */
  async admit(caller: AuthorizedCaller, readBody: () => string | null): Promise<void> {
    if (!may(caller, 'session.create', TENANT)) throw new DomainError('forbidden', 'These credentials do not allow session.create.');
    await this.admission.models(caller, () => {
      const text = readBody();
      return text === null ? [] : askedModels(text);
    });
    await this.admission.request(caller);
  }

  /** Resolves once the request is in the log. It goes out as an earlier one of its conversation was repaired. */
  async begin(caller: AuthorizedCaller, headers: IncomingHttpHeaders, sent: SentConversation): Promise<Begun> {
    await this.admission.models(caller, () => askedModels(sent.text));
    await this.admission.request(caller);
    let sessionId = '';
    const attempt = async (): Promise<Begun | null> => {
      const { conversation, found } = await this.#placed(caller, headers, sent);
      ({ sessionId } = found);
      await this.admission.request({ ...caller, sessionId });
      const repaired = mayRepair(headers) ? await this.#repairedAgain(caller.tenantId, found, conversation) : null;
      return this.#record(caller, headers, conversation, found, repaired).catch((error: unknown) => {
        if (error instanceof DomainError && error.code === 'version_conflict') return null;
        throw error;
      });
    };
    let begun = await attempt();
    // Many may continue one conversation at once: those of this process take turns then, instead of overtaking each other.
    for (let left = ATTEMPTS; begun === null && left > 0; left -= 1) begun = await this.#turns.run(sessionId, attempt);
    if (begun === null) throw new DomainError('unavailable', 'The conversation changes too often now; try again.', [], { retryAfter: 1 });
    return begun;
  }

  /** The body as it would go out with the repairs of earlier requests of its conversation; nothing is recorded. Null: as it is. */
  async repairedText(caller: AuthorizedCaller, headers: IncomingHttpHeaders, conversation: SentConversation): Promise<string | null> {
    if (!mayRepair(headers)) return null;
    const found = await this.find.of(caller, headers, conversation);
    return (await this.#repairedAgain(caller.tenantId, found, conversation))?.text ?? null;
  }

  /** The whole conversation, and where it is stored. */
  async #placed(caller: AuthorizedCaller, headers: IncomingHttpHeaders, sent: SentConversation): Promise<ContinuedThread> {
    if (sent.thread?.type !== 'continue') return { conversation: sent, found: await this.find.of(caller, headers, sent) };
    const continued = await this.threads.continued(caller, headers, sent);
    // The tools of the thread name models, too, and settings may have changed since it began.
    await this.admission.models(caller, () => askedModels(continued.conversation.text));
    return continued;
  }

  /** Null also when the earlier request cannot be read: then this one goes out as it came. */
  #repairedAgain(tenantId: string, found: Found, conversation: SentConversation): Promise<RepairedRequest | null> {
    return this.repairs.again(tenantId, found, conversation).catch((error: unknown) => {
      this.#log.warn({ msg: 'An earlier repair of a conversation could not be read.', sessionId: found.sessionId, error: String(error) });
      return null;
    });
  }

  /** The request once more, repaired, after the model API has refused it; it is in the log. Null: nothing is known that would help. */
  async again(caller: AuthorizedCaller, headers: IncomingHttpHeaders, begun: Begun, error: ProviderError): Promise<Begun | null> {
    if (!mayRepair(headers)) return null;
    const { passed, conversation, uuids, repaired: sent, found } = begun;
    const repaired = await this.repairs.repaired({
      ...{ requestId: passed.requestId, conversation, uuids, sent, error },
      ...{ provider: this.settings.MODEL_PROVIDER, betas: betasIn(headers, conversation.thread), apiVersion: headers['anthropic-version']?.toString() },
    });
    if (!repaired) return null;
    const match = { ...found.match, after: passed.after, messages: conversation.messages.length };
    const stored: Found = { ...found, version: null, conversation: uuids, lastRequest: passed.requestId, match };
    return this.#record(caller, headers, conversation, stored, repaired);
  }

  /** Resolves once what came of the answer is in the log. */
  end(passed: PassedRequest, outcome: Outcome, providerRequestId: string | null): Promise<void> {
    return this.threads.ending(passed.requestId, this.#end(passed, outcome, providerRequestId));
  }

  async #end(passed: PassedRequest, { answer, failure }: Outcome, providerRequestId: string | null): Promise<void> {
    const { tenantId, userId, tokenId = null, sessionId, requestId, after, startedAt } = passed;
    const named = (name: string): string => idOfAnswer(requestId, name);
    // Before the answer: one that is in the log can be continued.
    await this.threads.add(passed, answer);
    const now = this.clock.now();
    const command: UserCommand = {
      type: 'RecordGatewayAnswer',
      ...{ requestId, after, answer, failure, providerRequestId, uuid: answerUuid(requestId), rewindId: named('rewind') },
      at: new Date(now).toISOString(),
      durationMs: Math.max(0, now - startedAt),
    };
    const principal = { ...systemPrincipal(tenantId, userId), tokenId };
    const context = (name: string) => ({ principal, sessionId, commandId: named(name), requestHash: OWN_REQUEST, expectedVersion: null });
    const { events } = await this.executor.execute(context('record'), command);
    // The client went on elsewhere before its answer was over: the conversation stays where it is.
    const left = events.find(({ type }) => type === 'session.rewound' || type === 'session.restored');
    if (left?.type !== 'session.rewound' && left?.type !== 'session.restored') return;
    const tip = left.data.from;
    if (tip === null) return;
    await this.executor.execute(context('return'), { type: 'RestoreBranch', tip }).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
    });
  }

  async #record(
    caller: AuthorizedCaller,
    headers: IncomingHttpHeaders,
    conversation: SentConversation,
    found: Found,
    repaired: RepairedRequest | null,
  ): Promise<Begun> {
    const { sessionId, match } = found;
    const { tenantId, userId } = caller;
    const isNew = found.version === 0;
    if (isNew && !may(caller, 'session.create', TENANT)) throw new DomainError('forbidden', 'These credentials do not allow session.create.');
    const startedAt = this.clock.now();
    const at = new Date(startedAt).toISOString();
    const messages: Draft[] = [];
    for (const { value } of conversation.messages.slice(match.messages)) {
      const stored = await this.media.outOfLine({ tenantId, sessionId }, value as Json);
      messages.push(draftOf(stored as typeof value, this.clock.uuid(), at));
    }
    const uuids = [...found.conversation, ...messages.map(({ uuid }) => uuid)];
    const requestId = this.clock.uuid();
    const text = repaired?.text ?? conversation.text;
    const { body, keep } = await this.#bodies.record(requestId, found, conversation, uuids, repaired?.text);
    const betas = betasIn(headers, conversation.thread);
    const command: UserCommand = {
      type: 'RecordGatewayRequest',
      after: match.after,
      messages,
      rewindId: this.clock.uuid(),
      request: {
        ...{ requestId, turnId: this.clock.uuid(), ordinal: 1, model: conversation.model.slice(0, 200), maxTokens: conversation.maxTokens },
        ...{ profile: profileFor(conversation.model, this.settings.MODEL_PROVIDER).name, gates: {}, normalizer: 'none' },
        ...(betas.length > 0 ? { betas } : {}),
        ...{ digest: sha256(text), bytes: Buffer.byteLength(text), prefix: { ...NO_PREFIX, shared: 0 } },
        origin: { kind: 'gateway', client: clientOf(headers) },
        ...(repaired ? { repair: { of: repaired.of } } : {}),
        body: repaired ? { ...body, ...repairsOf(repaired) } : body,
      },
    };
    const action = isNew ? 'session.create' : 'session.prompt';
    const principal = authorizedCaller(caller, action, caller.now);
    const context = {
      principal,
      sessionId,
      commandId: this.clock.uuid(),
      requestHash: OWN_REQUEST,
      expectedVersion: found.version,
    };
    const executed = isNew
      ? await this.executor.execute(context, { type: 'CreateSession', settings: settingsOf(headers, conversation, found) }, command)
      : await this.executor.execute(context, command);
    keep();
    if (repaired) this.repairs.keep(executed.state.requests.get(requestId), uuids, repaired, found.repaired);
    const threaded = conversation.thread ? { isThreaded: true as const } : {};
    const unnamed = found.group === null && namedSession(headers) === null ? { history: historyOf(conversation.messages) } : {};
    const by = caller.tokenId === null ? {} : { tokenId: caller.tokenId };
    const passed = { tenantId, userId, ...by, sessionId, requestId, after: uuids.at(-1) ?? null, startedAt, ...threaded, ...unnamed };
    return { passed, conversation, found, uuids, repaired, text: repaired || conversation.thread ? text : null };
  }
}

/** A request that is in the log. */
export interface Begun {
  readonly passed: PassedRequest;
  readonly conversation: SentConversation;
  readonly found: Found;
  /** Of the client's messages. */
  readonly uuids: readonly string[];
  /** With repairs; null: without. */
  readonly repaired: RepairedRequest | null;
  /** The body that goes out; null: the bytes of the client. */
  readonly text: string | null;
}

/** A client may prefer to see each refusal. */
function repairsOf({ edits, notes, changedOptions }: RepairedRequest): Pick<SentBody, 'edits' | 'trace' | 'changedOptions'> {
  return { edits, trace: { from: 0, notes }, ...(changedOptions.length > 0 ? { changedOptions } : {}) };
}

const mayRepair = (headers: IncomingHttpHeaders): boolean => headers['x-verbatim-repair'] !== 'off';

/** The system prompt is that of the first request: with it the conversation can be continued here. */
function settingsOf(headers: IncomingHttpHeaders, { model, system, messages }: SentConversation, { group, forkOf = null }: Found): SessionSettings {
  const parent = parentGroup(headers, group);
  const gateway = {
    ...{ door: 'anthropic', client: clientOf(headers), root: messages[0]!.key },
    ...(group === null ? {} : { group }),
    ...(parent === null ? {} : { parent }),
    ...(forkOf === null ? {} : { forkOf }),
  };
  return newSession({ model, system, metadata: { gateway } }, undefined);
}

const sha256 = (text: string): string => hash('sha256', text);
