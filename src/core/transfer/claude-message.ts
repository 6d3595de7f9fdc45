import { blocksOf, type Content, type ContentBlock, type Json } from '../message/content.js';
import type { ModelMessage, StoredMessage } from '../message/message.js';
import { isObject, type UnknownObject, loose } from '../message/unknown-json.js';
import { SYNTHETIC } from './claude-entry.js';
import type { PlannedMessage } from './plan.js';
import { permissionModeIn, textIn, timeIn } from './shape.js';

/** What says where a line stands, or is the same on every line of a file: the log says it otherwise, or once. */
const SURROUNDINGS: ReadonlySet<string> = new Set([
  ...['type', 'uuid', 'parentUuid', 'logicalParentUuid', 'timestamp', 'message', 'attachment'],
  ...['sessionId', 'session_id', 'isSidechain', 'userType', 'cwd', 'version', 'gitBranch', 'slug', 'entrypoint'],
]);

/** Members that mean something here, so they are taken over in our own shape or not at all. */
const OURS: ReadonlySet<string> = new Set([
  ...['isMeta', 'isVirtual', 'isCompactSummary', 'isApiErrorMessage', 'apiError', 'origin', 'permissionMode', 'imagePasteIds', 'requestId'],
  ...['content', 'subtype', 'level'],
]);

/** The message that lines of a Claude Code session file make: one line, or the pieces of one answer. Members we have no name for are kept as they are. */
export function composeClaude({ uuid, parentUuid }: PlannedMessage, values: readonly unknown[], at: string): StoredMessage {
  const line = loose(values[0]);
  const place = { uuid, parentUuid, timestamp: timeIn(line['timestamp']) ?? at };
  switch (line['type']) {
    case 'assistant':
      return { type: 'assistant', ...place, message: answerOf(values.map(loose), uuid), ...answerFlags(line), ...others(line) } as StoredMessage;
    case 'attachment':
      return { type: 'attachment', ...place, attachment: attachmentOf(loose(line['attachment'])), ...others(line) } as StoredMessage;
    case 'system':
      return { type: 'system', ...place, ...systemOf(line), ...others(line) } as StoredMessage;
    default:
      return { type: 'user', ...place, content: loose(line['message'])['content'] as Content, ...userFlags(line), ...others(line) } as StoredMessage;
  }
}

/** The response as the API gave it: all blocks in the order of the lines, and what only the last piece knew. */
function answerOf(lines: readonly UnknownObject[], uuid: string): ModelMessage {
  const pieces = lines.map(({ message }) => loose(message));
  const first = pieces[0] ?? {};
  const content = pieces.flatMap((piece): readonly ContentBlock[] => blocksOf(piece['content'] as Content));
  const usage = pieces.findLast((piece) => isObject(piece['usage']))?.['usage'];
  return {
    ...first,
    id: textIn(first['id']) ?? `msg_${uuid}`,
    role: 'assistant',
    model: typeof first['model'] === 'string' ? first['model'] : '',
    content,
    stop_reason: (pieces.findLast((piece) => typeof piece['stop_reason'] === 'string')?.['stop_reason'] as string | undefined) ?? null,
    ...(usage === undefined ? {} : { usage: usage as ModelMessage['usage'] }),
  } as ModelMessage;
}

/** What the program itself wrote in the model's name is never sent: refusals of the API as such, anything else as seen by readers only. */
function answerFlags(line: UnknownObject): UnknownObject {
  const requestId = textIn(line['requestId']);
  const isError = line['isApiErrorMessage'] === true;
  const isSynthetic = loose(line['message'])['model'] === SYNTHETIC;
  return {
    ...(isError ? { isApiErrorMessage: true } : {}),
    ...(line['isVirtual'] === true || (isSynthetic && !isError) ? { isVirtual: true } : {}),
    // Our own requestId names a request in this log.
    ...(requestId === null ? {} : { providerRequestId: requestId }),
  };
}

function userFlags(line: UnknownObject): UnknownObject {
  const { origin, imagePasteIds } = line;
  const permissionMode = permissionModeIn(line['permissionMode']);
  const isHuman = origin === undefined || origin === null || loose(origin)['kind'] === 'human';
  return {
    ...flagged(line, ['isMeta', 'isVirtual', 'isCompactSummary']),
    ...(isHuman ? {} : { origin }),
    ...(permissionMode === null ? {} : { permissionMode }),
    ...(Array.isArray(imagePasteIds) && imagePasteIds.every(Number.isInteger) ? { imagePasteIds } : {}),
  };
}

function systemOf({ subtype, level, content }: UnknownObject): UnknownObject {
  return {
    subtype: textIn(subtype) ?? 'informational',
    ...(level === 'info' || level === 'warning' || level === 'error' ? { level } : {}),
    content: typeof content === 'string' ? content : content === undefined || content === null ? '' : JSON.stringify(content),
  };
}

/** The same attachment, in the names we use: the tool's id, and what a hook that blocked had to say. */
function attachmentOf({ toolUseID, ...rest }: UnknownObject): UnknownObject {
  const said = loose(rest['blockingError'])['blockingError'];
  return {
    ...rest,
    ...(toolUseID === undefined ? {} : { toolUseId: toolUseID as Json }),
    ...(typeof said === 'string' && rest['content'] === undefined ? { content: [said] } : {}),
  };
}

const flagged = (line: UnknownObject, names: readonly string[]): UnknownObject =>
  Object.fromEntries(names.flatMap((name) => (line[name] === true ? [[name, true]] : [])));

function others(line: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !SURROUNDINGS.has(name) && !OURS.has(name)));
}
