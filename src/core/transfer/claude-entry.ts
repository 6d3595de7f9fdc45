import { isObject, type UnknownObject } from '../message/unknown-json.js';
import { permissionModeIn, isContent, textIn } from './shape.js';
import type { PermissionMode } from '../message/message.js';
import { modelIn } from './session-line.js';

/**
 * What a line of a Claude Code session file is, as far as its place in the conversation goes.
 * `message`: part of the conversation. `aside`: kept, never sent, but others may hang under it.
 */
export type ClaudeLine =
  | { readonly kind: 'message'; readonly entry: ClaudeEntry }
  | { readonly kind: 'aside'; readonly name: string; readonly uuid: string | null; readonly parent: string | null; readonly isSidechain: boolean }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface ClaudeEntry {
  /** `companion`: comes with something else, such as an attachment or a note of the program. */
  readonly role: 'prompt' | 'result' | 'answer' | 'companion' | 'boundary';
  readonly uuid: string | null;
  /** What it hangs under; null for a root, undefined when that is not known. */
  readonly parent: string | null | undefined;
  /** Id of the API message that the line is a piece of. */
  readonly answerId: string | null;
  /** Ids of the tool calls in it. */
  readonly calls: readonly string[];
  /** Ids of the tool calls it answers. */
  readonly answers: readonly string[];
  readonly model: string | null;
  readonly permissionMode: PermissionMode | null;
}

/** Model of answers that the program wrote itself. */
export const SYNTHETIC = '<synthetic>';

export function claudeLine(value: unknown): ClaudeLine {
  if (!isObject(value)) return { kind: 'unreadable', reason: 'is not a JSON object' };
  const { type } = value;
  if (typeof type !== 'string') return { kind: 'unreadable', reason: 'has no type' };
  if (value['isSidechain'] === true) return aside('sidechain', value);
  switch (type) {
    case 'user':
      return isContent(inner(value)['content']) ? message(userEntry(value)) : { kind: 'unreadable', reason: 'is a user line without content that can be read' };
    case 'assistant':
      return isContent(inner(value)['content'])
        ? message(assistantEntry(value))
        : { kind: 'unreadable', reason: 'is an assistant line without content that can be read' };
    case 'attachment': {
      const { attachment } = value;
      return isObject(attachment) && typeof attachment['type'] === 'string'
        ? message(placed(value, 'companion'))
        : { kind: 'unreadable', reason: 'is an attachment without a type' };
    }
    case 'system':
      return message(value['subtype'] === 'compact_boundary' ? boundaryEntry(value) : placed(value, 'companion'));
    default:
      return aside(type, value);
  }
}

const inner = ({ message: given }: UnknownObject): UnknownObject => (isObject(given) ? given : {});

const message = (entry: ClaudeEntry): ClaudeLine => ({ kind: 'message', entry });

function aside(name: string, value: UnknownObject): ClaudeLine {
  return { kind: 'aside', name, uuid: textIn(value['uuid']), parent: textIn(value['parentUuid']), isSidechain: value['isSidechain'] === true };
}

function placed(value: UnknownObject, role: ClaudeEntry['role']): ClaudeEntry {
  const parent = value['parentUuid'] === null ? null : (textIn(value['parentUuid']) ?? undefined);
  return { role, uuid: textIn(value['uuid']), parent, answerId: null, calls: [], answers: [], model: null, permissionMode: null };
}

function userEntry(value: UnknownObject): ClaudeEntry {
  const answers = idsIn(inner(value)['content'], 'tool_result', 'tool_use_id');
  const role = answers.length > 0 ? 'result' : value['isMeta'] === true ? 'companion' : 'prompt';
  return { ...placed(value, role), answers, permissionMode: permissionModeIn(value['permissionMode']) };
}

function assistantEntry(value: UnknownObject): ClaudeEntry {
  const { id, model, content } = inner(value);
  const isOwn = model === SYNTHETIC || value['isApiErrorMessage'] === true;
  return { ...placed(value, 'answer'), answerId: isOwn ? null : textIn(id), calls: idsIn(content, 'tool_use', 'id'), model: isOwn ? null : modelIn(model) };
}

/** A compaction starts a new tree; what it summed up is named beside it. */
function boundaryEntry(value: UnknownObject): ClaudeEntry {
  return { ...placed(value, 'boundary'), parent: textIn(value['parentUuid']) ?? textIn(value['logicalParentUuid']) ?? undefined };
}

function idsIn(content: unknown, type: string, member: string): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly UnknownObject[]).flatMap((block) => (block['type'] === type && typeof block[member] === 'string' ? [block[member]] : []));
}
