import { isContent } from '../protocol/message/content.js';
import { type FieldError, DomainError } from '../protocol/errors.js';
import { SYSTEM_MESSAGE } from '../protocol/message/attachment.js';
import type { Message } from '../protocol/message/message.js';
import { blobsIn } from './embedded-messages.js';
import { callsIn } from './plain-calls.js';
import { type Note, systemContent } from './plain-system.js';
import { positionalUuid } from './positional-uuid.js';
import { isObject, type UnknownObject } from '../protocol/message/unknown-json.js';
import { pointerSegment } from '../protocol/message/json-pointer.js';

/**
 * Reads messages given by a caller: stored messages, or plain `{role, content}` of the model API, or calls and results as the Chat Completions API has them.
 * Missing members (`uuid`, `parentUuid`, `timestamp`) are derived from the position, so that the same input always gives the same messages. Content is only
 * checked to be content: the pipeline makes it a valid request. Throws DomainError `invalid_input` with one fault per offending value. `notes` get what is read in
 * another form, and what is ignored.
 */
export function readMessages(input: unknown, notes: FieldError[] = []): readonly Message[] {
  if (!Array.isArray(input)) throw rejection([{ pointer: '/messages', text: 'must be a list of messages' }]);
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  let parent: string | null = null;
  const lastPrompt = input.findLastIndex(isPrompt);
  const messages = input.map((entry: unknown, index) => {
    const message = readMessage(entry, { index, parent, pointer: `/messages/${index}`, faults, notes, lastPrompt });
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
  readonly faults: FieldError[];
  readonly notes: FieldError[];
  /** Index of the last message that a user wrote. */
  readonly lastPrompt: number;
}

/** Maximum number of notes, as of faults in a response. */
const MAX_NOTES = 200;

const isPrompt = (entry: unknown): boolean =>
  isObject(entry) &&
  (entry['type'] ?? entry['role']) === 'user' &&
  !(Array.isArray(entry['content']) && entry['content'].every((block) => isObject(block) && block['type'] === 'tool_result'));

function rejection(faults: readonly FieldError[]): DomainError {
  return new DomainError('invalid_input', 'The messages are invalid; each fault names a location and the rule.', faults);
}

function readMessage(entry: unknown, place: Place): Message | null {
  const fault = (member: string, text: string): null => {
    place.faults.push({ pointer: `${place.pointer}${member}`, text });
    return null;
  };
  const note: Note = (member, text) => {
    if (place.notes.length < MAX_NOTES) place.notes.push({ pointer: `${place.pointer}${member}`, text });
  };
  if (!isObject(entry)) return fault('', 'must be an object');
  const type = entry['type'] ?? entry['role'];
  const head = headOf(entry, place);
  noteUnknown(entry, typeof type === 'string' && Object.hasOwn(MEMBERS, type) ? MEMBERS[type] : undefined, note);
  switch (type) {
    case 'tool': {
      const { tool_call_id: id, content } = entry;
      if (typeof id !== 'string') return fault('/tool_call_id', 'must be the id of the call');
      if (!isContent(content)) return fault('/content', CONTENT);
      note('/role', 'is read as a message of the user with a tool_result');
      return { ...head, type: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] } as unknown as Message;
    }
    case 'user':
      return isContent(entry['content'])
        ? ({ ...head, type, content: entry['content'], ...flags(entry, USER_MEMBERS) } as Message)
        : fault('/content', CONTENT);
    case 'assistant':
      return readAssistant(entry, head, place, fault, note);
    case 'attachment': {
      const { attachment } = entry;
      return isObject(attachment) && typeof attachment['type'] === 'string'
        ? ({ ...head, type, attachment, ...flags(entry, ATTACHMENT_MEMBERS) } as unknown as Message)
        : fault('/attachment', 'must be an object with a type');
    }
    case 'developer':
    case 'system': {
      const { subtype, content } = entry;
      if (subtype === undefined) {
        const told = systemContent(entry, place.lastPrompt > place.index, note);
        if (told === null) return fault('/content', CONTENT);
        note('/role', 'is sent in this role to models that take it in the middle of a conversation, to others as a reminder in a message of the user');
        return {
          ...head,
          type: 'attachment',
          attachment: { type: SYSTEM_MESSAGE },
          rendered: [{ content: told }],
          renderedRole: 'system',
        } as unknown as Message;
      }
      if (typeof subtype !== 'string') return fault('/subtype', 'must be a string');
      return typeof content === 'string'
        ? ({ ...head, type: 'system', subtype, content, ...flags(entry, SYSTEM_MEMBERS) } as Message)
        : fault('/content', 'must be a string');
    }
    case 'tombstone':
      return { ...head, type, removed: Array.isArray(entry['removed']) ? entry['removed'].map(String) : [] };
    case 'progress':
      return { ...head, type, toolUseId: String(entry['toolUseId'] ?? ''), data: (entry['data'] ?? null) as null };
    case 'tool_use_summary':
      return { ...head, type, summary: String(entry['summary'] ?? ''), toolUseIds: [] };
    default:
      return fault(
        '/type',
        'must be user, assistant, attachment, system, progress, tombstone or tool_use_summary; or give the role user, assistant, system, developer or tool',
      );
  }
}

type Fail = (member: string, text: string) => null;

function readAssistant(entry: UnknownObject, head: Head, { index }: Place, fault: Fail, note: Note): Message | null {
  const isPlain = entry['message'] === undefined;
  const answer = isPlain ? entry : entry['message'];
  const member = isPlain ? '' : '/message';
  if (!isObject(answer)) return fault(member, 'must be an object');
  const given = answer['tool_calls'] ?? null;
  const calls = given === null ? [] : callsIn(given, (at, text) => note(`${member}${at}`, text));
  if (calls === null) return fault(`${member}/tool_calls`, 'must be a list of {id, function: {name, arguments}}');
  if (calls.length > 0) note(`${member}/tool_calls`, 'is read as blocks of the type tool_use');
  const content = answer['content'] ?? (calls.length > 0 ? [] : undefined);
  if (!isContent(content)) return fault(`${member}/content`, CONTENT);
  const blocks = [...(typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content), ...calls];
  const message = {
    ...(isPlain ? {} : without(answer, 'tool_calls')),
    id: textOr(isPlain ? undefined : answer['id'], `msg_${hex(index, 8)}`),
    role: 'assistant',
    model: textOr(answer['model'], ''),
    content: blocks,
    stop_reason: typeof answer['stop_reason'] === 'string' ? answer['stop_reason'] : null,
  };
  return { ...head, type: 'assistant', message, ...flags(entry, ASSISTANT_MEMBERS) } as unknown as Message;
}

const CONTENT = 'must be a string or a list of blocks, each an object with a type';

const without = (value: UnknownObject, name: string): UnknownObject => Object.fromEntries(Object.entries(value).filter(([member]) => member !== name));

const USER_MEMBERS = [
  ...['isMeta', 'isVirtual', 'origin', 'permissionMode', 'toolUseResult', 'imagePasteIds', 'isCompactSummary', 'rewrittenFrom'],
  ...['speaker', 'describes', 'isInterruption'],
];
const ATTACHMENT_MEMBERS = ['rendered', 'renderedRole', 'isVirtual', 'inPlace'];
const SYSTEM_MEMBERS = ['level', 'compactMetadata', 'withdraws'];
const ASSISTANT_MEMBERS = ['requestId', 'isVirtual', 'isApiErrorMessage', 'apiError', 'withdraws'];

const EVERYWHERE = ['type', 'role', 'uuid', 'parentUuid', 'timestamp'];

/** The members of each type that are read. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  user: ['content', ...USER_MEMBERS],
  assistant: ['content', 'message', 'tool_calls', 'model', 'stop_reason', 'id', ...ASSISTANT_MEMBERS],
  attachment: ['attachment', ...ATTACHMENT_MEMBERS],
  system: ['subtype', 'content', 'clear_at', 'output_config', ...SYSTEM_MEMBERS],
  developer: ['content'],
  tool: ['content', 'tool_call_id'],
  tombstone: ['removed', 'cause'],
  progress: ['toolUseId', 'data'],
  tool_use_summary: ['summary', 'toolUseIds'],
};

function noteUnknown(entry: UnknownObject, known: readonly string[] | undefined, note: Note): void {
  if (known === undefined) return;
  for (const [name, value] of Object.entries(entry)) {
    if (value === null || EVERYWHERE.includes(name) || known.includes(name)) continue;
    note(`/${pointerSegment(name)}`, 'is ignored');
  }
}

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
