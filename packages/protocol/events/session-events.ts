import type { Json } from '../message/content.js';
import type { PermissionMode, StoredMessage, Usage } from '../message/message.js';
import type { ToolDefinition } from '../message/tool-definition.js';
import type { ForkedFrom, ImportReport } from './origin.js';
import type { SentCompaction } from './sent-request.js';
import type { SessionSettings } from './settings.js';
import type { Feedback } from './facts.js';
import { MESSAGE } from '../message/message-skeleton.js';
import { constant, ID, ID_OR_EMPTY, ID_OR_NULL, keep, keepOr, list, MODE, NUMBER, NUMBER_OR_NULL, oneOf, required, TIME } from '../message/skeleton-rule.js';
import { event } from './define-event.js';
import { NAME_OR_EMPTY, HASH, EMPTY, NULL, SETTINGS, FIRST_SETTINGS, USAGE_OR_NONE, TRIGGER } from './skeleton-parts.js';

/** Events of a session as a whole: its settings, its messages, its branches. */
export const SESSION_EVENTS = {
  /** `importing`: its history follows; the session is hidden until `session.imported`. */
  'session.created': event<{ readonly settings: SessionSettings; readonly importing?: true; readonly forkedFrom?: ForkedFrom }>({
    skeleton: {
      settings: required(FIRST_SETTINGS),
      importing: keep('true'),
      forkedFrom: { members: { sessionId: ID_OR_EMPTY, at: ID_OR_NULL, seq: NUMBER, headHash: keepOr('', HASH) } },
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  /** Second event of a fork's log; nothing is written to the parent session. */
  'session.forked': event<{ readonly from: string; readonly at: string | null; readonly seq: number }>({
    skeleton: null,
    quotes: null,
    changes: ['list'],
  }),

  /** Lines of the imported file that are not part of the conversation, unchanged. */
  'import.retained': event<{ readonly lines: readonly { readonly line: number; readonly value: Json }[] }>({
    skeleton: { lines: constant([]) },
    quotes: 'import',
    changes: ['list'],
  }),

  'session.imported': event<ImportReport>({
    skeleton: {
      source: keepOr('verbatim', oneOf('verbatim', 'claude-code')),
      lines: NUMBER,
      messages: NUMBER,
      moves: NUMBER,
      preserved: NUMBER,
      reattached: NUMBER,
      offBranch: { items: keep(ID), else: constant([]) },
      offBranchTotal: NUMBER,
      retained: constant({}),
      skipped: constant([]),
      skippedTotal: NUMBER,
      shortened: constant([]),
      origin: constant({}),
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'session.configured': event<{ readonly changes: Partial<SessionSettings> }>({
    skeleton: { changes: required(SETTINGS) },
    quotes: null,
    changes: ['list', 'state'],
  }),

  /** The server named the session. */
  'session.titled': event<{ readonly title: string; readonly model: string; readonly usage: Usage }>({
    skeleton: { title: EMPTY, model: NAME_OR_EMPTY, usage: USAGE_OR_NONE },
    quotes: 'later',
    changes: ['list', 'state'],
  }),

  'session.closed': event<{ readonly reason: string | null }>({
    skeleton: { reason: NULL },
    quotes: null,
    changes: ['list', 'state'],
  }),

  'session.reopened': event<Record<string, never>>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'state'],
  }),

  'message.appended': event<{ readonly message: StoredMessage; readonly turnId: string | null; readonly promptId?: string }>({
    skeleton: { message: MESSAGE, turnId: ID_OR_NULL, promptId: keep(ID) },
    quotes: 'message',
    changes: ['list', 'messages', 'state'],
  }),

  'session.rewound': event<{
    readonly rewindId: string;
    readonly before?: string;
    readonly after?: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly removed: readonly string[];
    readonly permissionMode: PermissionMode;
    readonly reason: string | null;
    /** When it was made, of an import; absent: when it was recorded. */
    readonly at?: string;
    /** Why a prompt took the place of the removed ones, and the uuid of its message; absent: only the head moved. */
    readonly cause?: 'edit' | 'regenerate';
    readonly replacedBy?: string;
  }>({
    skeleton: {
      rewindId: ID_OR_EMPTY,
      before: keep(ID),
      after: keep(ID),
      from: ID_OR_NULL,
      to: ID_OR_NULL,
      removed: list(keep(ID)),
      permissionMode: keepOr('default', MODE),
      reason: NULL,
      at: keep(TIME),
      cause: keep(oneOf('edit', 'regenerate')),
      replacedBy: keep(ID),
    },
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'session.restored': event<{
    /** Null: the branch was left by another restore, so no rewind is undone. */
    readonly rewindId: string | null;
    readonly from: string | null;
    readonly to: string | null;
    readonly permissionMode: PermissionMode;
    /** When it was made, of an import; absent: when it was recorded. */
    readonly at?: string;
  }>({
    skeleton: null,
    quotes: null,
    changes: ['list', 'messages', 'state'],
  }),

  'session.compacted': event<{
    readonly compactionId: string;
    readonly turnId: string;
    readonly requestId: string;
    /** Uuids of the two messages that it appended. */
    readonly boundary: string;
    readonly summary: string;
    readonly keptFrom: string | null;
    readonly trigger: SentCompaction['trigger'];
    readonly instructions: string | null;
    readonly omitted: number;
    readonly preTokens: number | null;
    /** Output tokens of the summary; null when the provider did not report them. */
    readonly summaryTokens: number | null;
  }>({
    skeleton: {
      compactionId: ID_OR_EMPTY,
      turnId: ID_OR_EMPTY,
      requestId: ID_OR_EMPTY,
      boundary: ID_OR_EMPTY,
      summary: ID_OR_EMPTY,
      keptFrom: ID_OR_NULL,
      trigger: TRIGGER,
      instructions: NULL,
      omitted: NUMBER,
      preTokens: NUMBER_OR_NULL,
      summaryTokens: NUMBER_OR_NULL,
    },
    quotes: 'compaction',
    changes: ['list'],
  }),

  /** The server tools offered to the model from here on. */
  'session.tools_changed': event<{ readonly tools: readonly ToolDefinition[] }>({
    skeleton: { tools: constant([]) },
    quotes: null,
    changes: [],
  }),

  'feedback.recorded': event<Feedback>({
    skeleton: { feedbackId: ID_OR_EMPTY, requestId: ID_OR_EMPTY, rating: keepOr('', 'number'), comment: NULL },
    quotes: 'answer',
    changes: ['list'],
  }),
};
