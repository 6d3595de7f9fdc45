import type { StoredMessage } from './message.js';
import {
  constant,
  ID,
  ID_OR_EMPTY,
  ID_OR_NULL,
  keep,
  keepOr,
  list,
  MODE,
  NUMBER,
  oneOf,
  required,
  type Rule,
  type Rules,
  skeletonBy,
  TIME,
} from '../shape/skeleton-rule.js';
import { ERASED } from './wire-texts.js';

/**
 * What is left of a message when its content is erased: enough for its place in the conversation and for the model API to accept the conversation. Only ids, kinds,
 * numbers and times are kept, each by name, and only what can be nothing else.
 */
export const messageSkeleton = (message: StoredMessage): StoredMessage => skeletonBy(MESSAGE, message) as unknown as StoredMessage;

const TEXT = constant(ERASED);

/** A stop reason of the model API; hooks end turns with their own texts. */
export const STOP_REASONS = oneOf('end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal', 'model_context_window_exceeded');

const COUNT = keep('number');

const USAGE: Rule = {
  members: { input_tokens: COUNT, output_tokens: COUNT, cache_creation_input_tokens: COUNT, cache_read_input_tokens: COUNT },
};

export const USAGE_OR_NONE: Rule = { ...USAGE, else: constant({}) };

const TRUE = keep('true');

/** Results stay results, so that their calls keep them. */
const RESULTS: Rule = {
  items: {
    by: 'type',
    cases: {
      tool_result: { members: { type: constant('tool_result'), tool_use_id: keep(ID), content: TEXT, is_error: TRUE }, needs: ['tool_use_id'] },
    },
  },
  else: TEXT,
};

const ANSWER = required({
  id: ID_OR_EMPTY,
  role: constant('assistant'),
  model: constant('erased'),
  content: constant([{ type: 'text', text: ERASED }]),
  stop_reason: keepOr('erased', STOP_REASONS, 'null'),
  usage: USAGE,
});

const API_ERROR: Rule = {
  keep: [oneOf('pdf_too_large', 'pdf_password_protected', 'pdf_invalid', 'image_too_large', 'request_too_large')],
  else: { members: { type: constant('block_rejected'), blockUuid: ID_OR_EMPTY, index: NUMBER, inner: COUNT } },
};

/** Imported boundaries lack members. */
const BOUNDARY: Rule = {
  members: {
    trigger: keep(oneOf('manual', 'auto')),
    preTokens: keep('number', 'null'),
    compactionId: keep(ID),
    keptFrom: keep(ID, 'null'),
    kept: { items: keep(ID) },
    keptAfter: keep(ID),
    omitted: COUNT,
  },
};

const message = (type: StoredMessage['type'], members: Rules): Rule =>
  required({
    type: constant(type),
    uuid: ID_OR_EMPTY,
    parentUuid: ID_OR_NULL,
    timestamp: keepOr('1970-01-01T00:00:00.000Z', TIME),
    erased: constant(true),
    ...members,
  });

const ATTACHMENT = message('attachment', { attachment: constant({ type: 'erased' }), isVirtual: TRUE });

const WITHDRAWS: Rule = { items: keep(ID) };

const BY_TYPE: { readonly [T in StoredMessage['type']]: Rule } = {
  user: message('user', { content: RESULTS, isMeta: TRUE, isVirtual: TRUE, isCompactSummary: TRUE, isInterruption: TRUE, permissionMode: keep(MODE) }),
  assistant: message('assistant', {
    message: ANSWER,
    requestId: keep(ID),
    isVirtual: TRUE,
    isApiErrorMessage: TRUE,
    apiError: API_ERROR,
    withdraws: WITHDRAWS,
  }),
  attachment: ATTACHMENT,
  system: message('system', {
    subtype: keepOr(
      'informational',
      oneOf('local_command', 'api_error', 'compact_boundary', 'informational', 'hook_blocked', 'turn_duration', 'refusal', 'model_refusal_fallback'),
    ),
    level: keep(oneOf('info', 'warning', 'error')),
    content: TEXT,
    compactMetadata: BOUNDARY,
    withdraws: WITHDRAWS,
    isVirtual: TRUE,
  }),
  tombstone: message('tombstone', { removed: list(keep(ID)), cause: keep(oneOf('compaction')) }),
  tool_use_summary: message('tool_use_summary', { summary: TEXT, toolUseIds: constant([]) }),
};

export const MESSAGE: Rule = { by: 'type', cases: BY_TYPE, else: ATTACHMENT };
