import type { Json } from '../message/content.js';
import type { Usage } from '../message/message.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { RecordedSentRequest } from './sent-request.js';
import type { CallOutcome, Decision, Failure } from './facts.js';
import { STOP_REASON_OR_NULL } from '../message/message-skeleton.js';
import { constant, ID, ID_OR_EMPTY, ID_OR_NULL, keep, keepOr, NUMBER, NUMBER_OR_NULL, oneOf, required, TIME } from '../message/skeleton-rule.js';
import { event } from './define-event.js';
import { NAME, NAME_OR_EMPTY, EMPTY, NULL, FAILURE, DECIDED_BY, USAGE_OR_NONE, COMPACTION } from './skeleton-parts.js';

/** Events of what a turn does: calls of tools, hooks and requests to the model. */
export const CALL_EVENTS = {
  /** `deferred`: the messages of its result, which are appended once the calls before it have theirs. */
  'tool.decided': event<{
    readonly turnId: string;
    readonly toolUseId: string;
    readonly name: string;
    readonly decision: Decision;
    readonly by: DecidedBy;
    readonly reason?: string;
    /** Text for the model from the person who rejected the call. */
    readonly feedback?: string;
    /** Replaces the input of the call. */
    readonly updatedInput?: { readonly [key: string]: Json };
    readonly deferred?: readonly Draft[];
    /** Why the turn ends once its calls have results. */
    readonly endReason?: string;
  }>({
    skeleton: {
      turnId: ID_OR_EMPTY,
      toolUseId: ID_OR_EMPTY,
      name: EMPTY,
      decision: keepOr('ask', oneOf('allow', 'deny', 'ask', 'reject', 'cancel')),
      by: DECIDED_BY,
    },
    quotes: 'call',
    changes: ['state'],
  }),

  /** The call is about to run with this input. Without a later `tool.completed` it is unknown whether it took effect. In bash mode `toolUseId` is the prompt's id. */
  'tool.started': event<{ readonly turnId: string; readonly toolUseId: string; readonly name: string; readonly input: Json }>({
    skeleton: { turnId: ID_OR_EMPTY, toolUseId: ID_OR_EMPTY, name: EMPTY, input: constant({}) },
    quotes: 'call',
    changes: ['state'],
  }),

  'tool.completed': event<{
    readonly turnId: string;
    readonly toolUseId: string;
    readonly name: string;
    readonly outcome: CallOutcome;
    readonly isError: boolean;
    readonly durationMs: number;
    readonly deferred?: readonly Draft[];
    readonly endReason?: string;
  }>({
    skeleton: {
      turnId: ID_OR_EMPTY,
      toolUseId: ID_OR_EMPTY,
      name: EMPTY,
      outcome: keepOr('unknown', oneOf('finished', 'interrupted', 'unknown')),
      isError: keepOr(false, 'boolean'),
      durationMs: NUMBER,
    },
    quotes: 'call',
    changes: ['state'],
  }),

  'hook.completed': event<HookRun & { readonly turnId: string | null }>({
    skeleton: {
      hookRunId: ID_OR_EMPTY,
      event: ID_OR_EMPTY,
      hook: required({ type: ID_OR_EMPTY }),
      input: NULL,
      outcome: keepOr('success', oneOf('success', 'blocked', 'prevented', 'non_blocking_error', 'timeout')),
      exitCode: NUMBER_OR_NULL,
      httpStatus: keep('number'),
      durationMs: NUMBER,
      stdout: EMPTY,
      stderr: EMPTY,
      decision: keep(oneOf('allow', 'deny', 'ask')),
      turnId: ID_OR_NULL,
    },
    quotes: 'turn',
    changes: [],
  }),

  'request.sent': event<RecordedSentRequest>({
    // Without its digests, which have no salt: a guess of short content could be tested with them.
    skeleton: {
      requestId: ID_OR_EMPTY,
      turnId: ID_OR_EMPTY,
      ordinal: NUMBER,
      at: NUMBER,
      model: NAME_OR_EMPTY,
      profile: NAME_OR_EMPTY,
      gates: { entries: keep('boolean'), named: ID, else: constant({}) },
      betas: { items: keep(NAME) },
      normalizer: NAME_OR_EMPTY,
      maxTokens: NUMBER,
      digest: EMPTY,
      bytes: NUMBER,
      prefix: constant({ system: '', tools: '', messages: [], tail: [], shared: 0 }),
      purpose: keep(oneOf('compaction')),
      compaction: COMPACTION,
      body: NULL,
    },
    quotes: 'later',
    changes: [],
  }),

  'request.completed': event<{
    readonly requestId: string;
    readonly turnId: string;
    readonly providerRequestId: string | null;
    readonly stopReason: string | null;
    readonly usage: Usage;
    readonly durationMs: number;
    /** Changes that the API made to the input, such as dropped thinking blocks; absent when it reported none. */
    readonly inputTransformations?: readonly Json[];
    /** Why the prompt cache was missed, as the API reported it; absent when it reported nothing. */
    readonly cacheDiagnostics?: Json;
  }>({
    skeleton: {
      requestId: ID_OR_EMPTY,
      turnId: ID_OR_EMPTY,
      providerRequestId: ID_OR_NULL,
      stopReason: STOP_REASON_OR_NULL,
      usage: USAGE_OR_NONE,
      durationMs: NUMBER,
    },
    quotes: 'later',
    changes: ['list', 'state'],
  }),

  'request.failed': event<{
    readonly requestId: string;
    readonly turnId: string;
    readonly error: Failure;
    readonly durationMs: number;
    /** RFC 3339 time of the retry; null: no retry. */
    readonly retryAt: string | null;
  }>({
    skeleton: { requestId: ID_OR_EMPTY, turnId: ID_OR_EMPTY, error: FAILURE, durationMs: NUMBER, retryAt: keepOr(null, TIME) },
    quotes: 'later',
    changes: ['list'],
  }),
};
