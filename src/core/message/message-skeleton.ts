import { blocksOf, type ContentBlock } from './content.js';
import type { ApiError, AssistantMessage, CompactMetadata, StoredMessage, SystemMessage, Usage, UserMessage } from './message.js';
import { ERASED } from './wire-texts.js';

/**
 * What is left of a message when its content is erased: enough for its place in the conversation and for the model API to accept the conversation. Only ids, kinds,
 * numbers and times are copied, each by name: a member that is not listed is content.
 */
export function messageSkeleton(message: StoredMessage): StoredMessage {
  const { uuid, parentUuid, timestamp } = message;
  const entry = { uuid, parentUuid, timestamp: timeOf(timestamp), erased: true } as const;
  switch (message.type) {
    case 'user':
      return {
        type: 'user',
        ...entry,
        content: userContent(message),
        ...flags(message),
        ...(message.permissionMode ? { permissionMode: message.permissionMode } : {}),
      };
    case 'assistant':
      return { type: 'assistant', ...entry, ...answer(message) };
    case 'attachment':
      return { type: 'attachment', ...entry, attachment: { type: 'erased' }, ...virtual(message) };
    case 'system':
      return { type: 'system', ...entry, ...note(message) };
    case 'tombstone':
      return { type: 'tombstone', ...entry, removed: message.removed, ...(message.cause ? { cause: message.cause } : {}) };
    case 'tool_use_summary':
      return { type: 'tool_use_summary', ...entry, summary: ERASED, toolUseIds: [] };
  }
}

const ID = /^[\w-]{1,128}$/;

/** Ids of calls and answers are kept where they can only be ids. */
export const idOf = (id: unknown): string => (typeof id === 'string' && ID.test(id) ? id : '');

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

const timeOf = (time: string): string => (TIME.test(time) ? time : '1970-01-01T00:00:00.000Z');

const STOP_REASONS: ReadonlySet<string> = new Set([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
]);

/** A stop reason that is one of the model API's; hooks end turns with texts of their own. */
export const stopReasonOf = (reason: string | null): string | null => (reason === null || STOP_REASONS.has(reason) ? reason : 'erased');

const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const;

export function usageSkeleton(usage: Usage): Usage {
  return Object.fromEntries(COUNTS.flatMap((name) => (typeof usage[name] === 'number' ? [[name, usage[name]]] : [])));
}

/** Results stay results, so that their calls keep them. */
function userContent({ content }: UserMessage): UserMessage['content'] {
  const results = blocksOf(content).flatMap((block): readonly ContentBlock[] =>
    block.type === 'tool_result' && idOf(block.tool_use_id) !== ''
      ? [{ type: 'tool_result', tool_use_id: block.tool_use_id, content: ERASED, ...(block.is_error === true ? { is_error: true } : {}) }]
      : [],
  );
  return results.length > 0 ? results : ERASED;
}

const FLAGS = ['isMeta', 'isVirtual', 'isCompactSummary', 'isInterruption'] as const;

const flags = (message: UserMessage): Partial<UserMessage> => Object.fromEntries(FLAGS.flatMap((name) => (message[name] === true ? [[name, true]] : [])));

const virtual = ({ isVirtual }: { readonly isVirtual?: boolean }): { readonly isVirtual?: true } => (isVirtual === true ? { isVirtual } : {});

function answer({ message, requestId, isApiErrorMessage, apiError, ...rest }: AssistantMessage): Pick<AssistantMessage, 'message'> & Partial<AssistantMessage> {
  const { id, stop_reason, usage } = message;
  return {
    message: {
      id: idOf(id),
      role: 'assistant',
      model: 'erased',
      content: [{ type: 'text', text: ERASED }],
      stop_reason: stopReasonOf(stop_reason),
      ...(usage ? { usage: usageSkeleton(usage) } : {}),
    },
    ...(requestId === undefined ? {} : { requestId }),
    ...virtual(rest),
    ...(isApiErrorMessage === true ? { isApiErrorMessage } : {}),
    ...(apiError ? { apiError: errorOf(apiError) } : {}),
  };
}

const errorOf = (error: ApiError): ApiError => {
  if (typeof error === 'string') return error;
  const { blockUuid, index, inner } = error;
  return { type: 'block_rejected', blockUuid, index, ...(inner === undefined ? {} : { inner }) };
};

const SUBTYPES: ReadonlySet<string> = new Set(['local_command', 'api_error', 'compact_boundary', 'informational', 'hook_blocked', 'turn_duration']);

function note({ subtype, level, compactMetadata, ...rest }: SystemMessage): Omit<SystemMessage, 'type' | 'uuid' | 'parentUuid' | 'timestamp'> {
  return {
    subtype: SUBTYPES.has(subtype) ? subtype : 'informational',
    ...(level === undefined ? {} : { level }),
    content: ERASED,
    ...(compactMetadata ? { compactMetadata: boundary(compactMetadata) } : {}),
    ...virtual(rest as { readonly isVirtual?: boolean }),
  };
}

function boundary(metadata: CompactMetadata): CompactMetadata {
  const { trigger, preTokens, compactionId, keptFrom, keptAfter, omitted } = metadata;
  return JSON.parse(JSON.stringify({ trigger, preTokens, compactionId, keptFrom, keptAfter, omitted })) as CompactMetadata; // imported ones lack members
}
