import { isContent } from '../../../packages/protocol/message/content.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { isObject, loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { modelIn } from './session-line.js';
import { permissionModeIn, textIn, timeIn } from './shape.js';

/**
 * A line of a Claude Code session file, as far as its position in the conversation is concerned.
 * `message`: part of the conversation. `aside`: retained, never sent, but messages may be its children. `leaf`: sets the end of the active branch.
 */
export type ClaudeLine = { readonly isSidechain: boolean } & (
  | { readonly kind: 'message'; readonly entry: ClaudeEntry }
  | { readonly kind: 'aside'; readonly name: string; readonly uuid: string | null; readonly parent: string | null }
  /** `leaf` null: the active branch ends at the newest message. Its `uuid` null: the conversation was rewound to its start. */
  | { readonly kind: 'leaf'; readonly name: string; readonly leaf: { readonly uuid: string | null } | null }
  | { readonly kind: 'unreadable'; readonly reason: string; readonly isOtherAgent: boolean }
);

export interface ClaudeEntry {
  /**
   * `companion`: belongs to another message, such as an attachment. `command`: input or output of a local command, which the model does not answer.
   * `withdrawn`: another line takes it back.
   */
  readonly role: 'prompt' | 'result' | 'answer' | 'companion' | 'command' | 'boundary' | 'withdrawn';
  readonly uuid: string | null;
  /** Null for a root, undefined when unknown. */
  readonly parent: string | null | undefined;
  /** Id of the API message of which the line is a fragment. */
  readonly answerId: string | null;
  /** Ids of its tool calls. */
  readonly calls: readonly string[];
  /** Ids of the tool calls it answers. */
  readonly answers: readonly string[];
  readonly model: string | null;
  readonly permissionMode: PermissionMode | null;
  /** RFC 3339, or null. */
  readonly timestamp: string | null;
  /** An answer that the program wrote itself, such as an API error: it is not part of the model's context. */
  readonly isOwn: boolean;
  /** Of a boundary; null: it keeps nothing. */
  readonly preserved: Preserved | null;
  /** Stop reason of the API message, where the line has it. */
  readonly stopReason: string | null;
  /** A summary, or an attachment that is in force for the session: a turn that is taken back leaves it. */
  readonly isOfSession: boolean;
  /** Uuids of the lines that it takes back: what the model refused to complete, and then another answer took its place. */
  readonly withdraws: readonly string[];
}

/** What a compaction keeps verbatim, after the message `anchor`: the messages with these uuids, or the part of the branch from `head` to `tail`. */
export type Preserved = { readonly anchor: string } & ({ readonly uuids: readonly string[] } | { readonly head: string; readonly tail: string });

/** Model of answers that the program wrote itself. */
export const SYNTHETIC = '<synthetic>';

export function claudeLine(value: unknown): ClaudeLine {
  if (!isObject(value)) return unreadable(false, 'is not a JSON object');
  const { type } = value;
  const isSidechain = value['isSidechain'] === true;
  if (typeof type !== 'string') return unreadable(isSidechain, 'has no type');
  const message = (entry: ClaudeEntry): ClaudeLine => ({ kind: 'message', entry, isSidechain });
  switch (type) {
    case 'user':
    case 'assistant': {
      const { content, parts } = loose(value['message']);
      if (isContent(content)) return message(type === 'user' ? userEntry(value, content) : assistantEntry(value, content));
      if (Array.isArray(parts)) return unreadable(isSidechain, 'is a message of another agent: it has `parts` instead of `content`', true);
      return unreadable(isSidechain, `is ${type === 'user' ? 'a user' : 'an assistant'} line without readable content`);
    }
    case 'attachment': {
      const { attachment } = value;
      if (isObject(attachment) && typeof attachment['type'] === 'string') {
        return message({ ...entryOf(value, 'companion'), isOfSession: isInForce(attachment) });
      }
      return unreadable(isSidechain, 'is an attachment without a type');
    }
    case 'system':
      if (value['subtype'] === 'compact_boundary') return message(boundaryEntry(value));
      return message({ ...entryOf(value, value['subtype'] === 'local_command' ? 'command' : 'companion'), withdraws: uuidsIn(value['retractedMessageUuids']) });
    case 'last-prompt':
      return { kind: 'leaf', name: type, leaf: leafIn(value), isSidechain };
  }
  return { kind: 'aside', name: type, uuid: textIn(value['uuid']), parent: textIn(value['parentUuid']), isSidechain };
}

/** Each line replaces the one before. Only an explicit one determines the branch. */
function leafIn({ explicit, leafUuid }: UnknownObject): { readonly uuid: string | null } | null {
  const uuid = textIn(leafUuid);
  return explicit === true && (uuid !== null || leafUuid === null) ? { uuid } : null;
}

const unreadable = (isSidechain: boolean, reason: string, isOtherAgent = false): ClaudeLine => ({ kind: 'unreadable', reason, isSidechain, isOtherAgent });

function entryOf(value: UnknownObject, role: ClaudeEntry['role']): ClaudeEntry {
  const parent = value['parentUuid'] === null ? null : (textIn(value['parentUuid']) ?? undefined);
  const timestamp = timeIn(value['timestamp']);
  const none = {
    answerId: null,
    calls: [],
    answers: [],
    model: null,
    permissionMode: null,
    isOwn: false,
    preserved: null,
    stopReason: null,
    isOfSession: false,
    withdraws: [],
  };
  return { ...none, role, uuid: textIn(value['uuid']), parent, timestamp };
}

function userEntry(value: UnknownObject, content: unknown): ClaudeEntry {
  const answers = idsIn(content, 'tool_result', 'tool_use_id');
  const role = answers.length > 0 ? 'result' : value['isMeta'] === true ? 'companion' : isLocalCommand(content) ? 'command' : 'prompt';
  return { ...entryOf(value, role), answers, permissionMode: permissionModeIn(value['permissionMode']), isOfSession: isSummary(value) };
}

/** First words of the summary of a compaction that had no boundary line. */
const OLD_SUMMARY = 'This session is being continued from a previous conversation';

/** Whether a user line is the summary of a compaction. */
export function isSummary({ isCompactSummary, parentUuid, message }: UnknownObject): boolean {
  const { content } = loose(message);
  return isCompactSummary === true || (parentUuid === null && typeof content === 'string' && content.startsWith(OLD_SUMMARY));
}

/** Attachments that say what is in force from there on, not what came with one prompt. What changes a list is one of them, too. */
const IN_FORCE: ReadonlySet<unknown> = new Set([
  ...['current_date', 'date_change', 'git_status', 'memory', 'nested_memory', 'memory_listing', 'skill_listing', 'invoked_skills', 'compact_file_reference'],
  ...['plan_mode', 'plan_mode_exit', 'permission_mode', 'output_style'],
]);

function isInForce({ type, hookEvent, hookName }: UnknownObject): boolean {
  const event = typeof hookEvent === 'string' ? hookEvent : String(hookName).split(':')[0];
  return IN_FORCE.has(type) || String(type).endsWith('_delta') || event === 'SessionStart';
}

const isLocalCommand = (content: unknown): boolean => typeof content === 'string' && /^<(?:command-name|local-command-)/.test(content);

function assistantEntry(value: UnknownObject, content: unknown): ClaudeEntry {
  const { id, model, stop_reason: stopReason } = loose(value['message']);
  const isOwn = model === SYNTHETIC || value['isApiErrorMessage'] === true;
  return {
    ...entryOf(value, 'answer'),
    isOwn,
    answerId: isOwn ? null : textIn(id),
    calls: idsIn(content, 'tool_use', 'id'),
    model: isOwn ? null : modelIn(model),
    stopReason: isOwn ? null : textIn(stopReason),
    withdraws: uuidsIn(value['supersedesUuids']),
  };
}

/** A compaction starts a new tree; `logicalParentUuid` names the last message that it summarized. */
function boundaryEntry(value: UnknownObject): ClaudeEntry {
  const parent = textIn(value['parentUuid']) ?? textIn(value['logicalParentUuid']) ?? undefined;
  return { ...entryOf(value, 'boundary'), parent, preserved: preservedIn(loose(value['compactMetadata'])) };
}

/** The list of messages takes precedence over the segment. */
function preservedIn({ preservedMessages, preservedSegment }: UnknownObject): Preserved | null {
  const list = loose(preservedMessages);
  const { uuids } = list;
  const anchor = textIn(list['anchorUuid']);
  if (anchor !== null && Array.isArray(uuids)) return { anchor, uuids: uuids.map((uuid) => textIn(uuid) ?? '') };
  const segment = loose(preservedSegment);
  const [at, head, tail] = [textIn(segment['anchorUuid']), textIn(segment['headUuid']), textIn(segment['tailUuid'])];
  return at === null || head === null || tail === null ? null : { anchor: at, head, tail };
}

const uuidsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((uuid) => textIn(uuid) !== null) : []);

function idsIn(content: unknown, type: string, member: string): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly UnknownObject[]).flatMap((block) => (block['type'] === type && typeof block[member] === 'string' ? [block[member]] : []));
}
