import { type Fault, DomainError } from '../errors.js';
import type { Content } from '../message/content.js';
import type { Message } from '../message/message.js';
import { blobsIn } from './embedded-messages.js';
import { positionalUuid } from './positional-uuid.js';
import { isObject, type UnknownObject } from '../message/unknown-json.js';

/**
 * Reads messages given by a caller: stored messages, or plain `{role, content}` of the model API. Missing members (`uuid`, `parentUuid`, `timestamp`) are
 * derived from the position, so that the same input always gives the same messages; unknown members are ignored. Content is only checked to be content: the
 * pipeline makes it a valid request. Throws DomainError `invalid_input` with one fault per offending value.
 */
export function readMessages(input: unknown): readonly Message[] {
  if (!Array.isArray(input)) throw rejection([{ pointer: '/messages', text: 'must be a list of messages' }]);
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let parent: string | null = null;
  const messages = input.map((entry: unknown, index) => {
    const message = readMessage(entry, { index, parent, pointer: `/messages/${index}`, faults });
    if (!message) return null;
    if (blobsIn(message).length > 0) faults.push({ pointer: `/messages/${index}`, text: 'refers to a blob; embed its data as base64, as an export does' });
    if (seen.has(message.uuid)) faults.push({ pointer: `/messages/${index}/uuid`, text: 'is a duplicate: an earlier message has this uuid' });
    seen.add(message.uuid);
    parent = message.uuid;
    return message;
  });
  if (faults.length > 0) throw rejection(faults);
  return messages as readonly Message[];
}

interface Place {
  readonly index: number;
  readonly parent: string | null;
  readonly pointer: string;
  readonly faults: Fault[];
}

function rejection(faults: readonly Fault[]): DomainError {
  return new DomainError('invalid_input', 'The messages are invalid; each fault names a location and the rule.', faults);
}

function readMessage(entry: unknown, place: Place): Message | null {
  const fault = (member: string, text: string): null => {
    place.faults.push({ pointer: `${place.pointer}${member}`, text });
    return null;
  };
  if (!isObject(entry)) return fault('', 'must be an object');
  const type = entry['type'] ?? entry['role'];
  const head = headOf(entry, place);
  switch (type) {
    case 'user':
      return isContent(entry['content'])
        ? ({ ...head, type, content: entry['content'], ...flags(entry, USER_MEMBERS) } as Message)
        : fault('/content', CONTENT);
    case 'assistant':
      return readAssistant(entry, head, place, fault);
    case 'attachment': {
      const { attachment } = entry;
      return isObject(attachment) && typeof attachment['type'] === 'string'
        ? ({ ...head, type, attachment } as unknown as Message)
        : fault('/attachment', 'must be an object with a type');
    }
    case 'system': {
      const { subtype, content } = entry;
      if (typeof subtype !== 'string') return fault('/subtype', 'must be a string; the system prompt goes beside the messages, not among them');
      return typeof content === 'string'
        ? ({ ...head, type, subtype, content, ...flags(entry, ['level', 'compactMetadata', 'withdraws']) } as Message)
        : fault('/content', 'must be a string');
    }
    case 'tombstone':
      return { ...head, type, removed: Array.isArray(entry['removed']) ? entry['removed'].map(String) : [] };
    case 'progress':
      return { ...head, type, toolUseId: String(entry['toolUseId'] ?? ''), data: (entry['data'] ?? null) as null };
    case 'tool_use_summary':
      return { ...head, type, summary: String(entry['summary'] ?? ''), toolUseIds: [] };
    default:
      return fault('/type', 'must be user, assistant, attachment, system, progress, tombstone or tool_use_summary; or give the role user or assistant');
  }
}

type Fail = (member: string, text: string) => null;

function readAssistant(entry: UnknownObject, head: Head, { index }: Place, fault: Fail): Message | null {
  const isPlain = entry['message'] === undefined;
  const answer = isPlain ? entry : entry['message'];
  const member = isPlain ? '' : '/message';
  if (!isObject(answer)) return fault(member, 'must be an object');
  const { content } = answer;
  if (!isContent(content)) return fault(`${member}/content`, CONTENT);
  const blocks = typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content;
  const message = {
    ...(isPlain ? {} : answer),
    id: textOr(isPlain ? undefined : answer['id'], `msg_${hex(index, 8)}`),
    role: 'assistant',
    model: textOr(answer['model'], ''),
    content: blocks,
    stop_reason: typeof answer['stop_reason'] === 'string' ? answer['stop_reason'] : null,
  };
  return { ...head, type: 'assistant', message, ...flags(entry, ASSISTANT_MEMBERS) } as unknown as Message;
}

const CONTENT = 'must be a string or a list of blocks, each an object with a type';

const isContent = (content: unknown): content is Content =>
  typeof content === 'string' || (Array.isArray(content) && content.every((block) => isObject(block) && typeof block['type'] === 'string'));

const USER_MEMBERS = ['isMeta', 'isVirtual', 'origin', 'permissionMode', 'toolUseResult', 'imagePasteIds', 'isCompactSummary', 'rewrittenFrom'];
const ASSISTANT_MEMBERS = ['requestId', 'isVirtual', 'isApiErrorMessage', 'apiError', 'withdraws'];

/** The listed members that the entry has; null counts as absent. */
function flags(entry: UnknownObject, names: readonly string[]): UnknownObject {
  return Object.fromEntries(names.flatMap((name) => (entry[name] === undefined || entry[name] === null ? [] : [[name, entry[name]]])));
}

interface Head {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly timestamp: string;
}

function headOf(entry: UnknownObject, { index, parent }: Place): Head {
  const given = entry['parentUuid'];
  return {
    uuid: textOr(entry['uuid'], positionalUuid(index)),
    parentUuid: typeof given === 'string' || given === null ? given : parent,
    timestamp: textOr(entry['timestamp'], new Date(index * 1_000).toISOString()),
  };
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' && value !== '' ? value : fallback);
