import type { Content, Json } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { isKnownKind } from '../../../packages/normalizer/attachment-text.js';
import { renderedContent } from '../../../packages/normalizer/rendered-attachment.js';
import { assistantOf } from './claude-answer.js';
import { isSummary } from './claude-entry.js';
import { others } from './claude-members.js';
import type { PlannedMessage } from './plan.js';
import { permissionModeIn, textIn, timeIn } from './shape.js';

/** The message of one line of a Claude Code session file, or of the lines of one answer. Unknown members are stored as they are. */
export function composeClaude({ uuid, parentUuid, timestamp, compaction, withdraws }: PlannedMessage, values: readonly unknown[], at: string): StoredMessage {
  if (values.length === 0) {
    const boundary = { type: 'system', uuid, parentUuid, timestamp: timestamp ?? at, subtype: 'compact_boundary' } as const;
    if (compaction === undefined) return { ...boundary, content: RESTARTED };
    return { ...boundary, content: CONTINUED, compactMetadata: compaction } as unknown as StoredMessage;
  }
  const line = loose(values[0]);
  const place = { uuid, parentUuid, timestamp: timeIn(line['timestamp']) ?? at, ...(withdraws === undefined ? {} : { withdraws }) };
  switch (line['type']) {
    case 'assistant':
      return assistantOf(place, values.map(loose));
    case 'attachment':
      return { type: 'attachment', ...place, attachment: attachmentOf(loose(line['attachment'])), ...others(line), ...attachmentFlags(line) } as StoredMessage;
    case 'system':
      return { type: 'system', ...place, ...systemOf(line), ...others(line), ...keptBy(line, compaction) } as StoredMessage;
    default:
      return { type: 'user', ...place, content: loose(line['message'])['content'] as Content, ...userFlags(line), ...others(line) } as StoredMessage;
  }
}

const RESTARTED = 'The conversation starts again here: the messages before are not part of the context.';

const CONTINUED = 'The conversation continues an earlier message here: the messages after that one are not part of the context.';

function userFlags(line: UnknownObject): UnknownObject {
  const { origin, imagePasteIds } = line;
  const permissionMode = permissionModeIn(line['permissionMode']);
  const isHuman = origin === undefined || origin === null || loose(origin)['kind'] === 'human';
  return {
    ...flagged(line, ['isMeta', 'isVirtual']),
    ...(isSummary(line) ? { isCompactSummary: true } : {}),
    ...(isHuman ? {} : { origin }),
    ...(permissionMode === null ? {} : { permissionMode }),
    ...(Array.isArray(imagePasteIds) && imagePasteIds.every(Number.isInteger) ? { imagePasteIds } : {}),
  };
}

function keptBy({ compactMetadata }: UnknownObject, compaction: PlannedMessage['compaction']): UnknownObject {
  return compaction === undefined ? {} : { compactMetadata: { ...loose(compactMetadata), ...compaction } as Json };
}

function systemOf({ subtype, level, content }: UnknownObject): UnknownObject {
  return {
    subtype: textIn(subtype) ?? 'informational',
    ...(level === 'info' || level === 'warning' || level === 'error' ? { level } : {}),
    content: typeof content === 'string' ? content : content === undefined || content === null ? '' : JSON.stringify(content),
  };
}

/** The attachment with Verbatim's member names: `toolUseId`, and the text of a blocking hook as `content`. */
function attachmentOf({ toolUseID, ...rest }: UnknownObject): UnknownObject {
  const error = loose(rest['blockingError'])['blockingError'];
  return {
    ...rest,
    ...(toolUseID === undefined ? {} : { toolUseId: toolUseID as Json }),
    ...(typeof error === 'string' && rest['content'] === undefined ? { content: [error] } : {}),
  };
}

/** The model saw an attachment of an unknown kind only if the line says what it saw. */
function attachmentFlags(line: UnknownObject): UnknownObject {
  return isKnownKind(String(loose(line['attachment'])['type'])) || renderedContent(line) !== null ? {} : { isVirtual: true };
}

const flagged = (line: UnknownObject, names: readonly string[]): UnknownObject =>
  Object.fromEntries(names.flatMap((name) => (line[name] === true ? [[name, true]] : [])));
