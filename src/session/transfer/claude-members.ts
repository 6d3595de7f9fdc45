import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';

/** Members that the log records in another form, or that are equal on all lines of a file. */
const RECORDED_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['type', 'uuid', 'parentUuid', 'logicalParentUuid', 'timestamp', 'message', 'attachment'],
  ...['sessionId', 'session_id', 'isSidechain', 'userType', 'cwd', 'version', 'gitBranch', 'slug', 'entrypoint'],
]);

/** Members that Verbatim interprets: they are converted, or dropped when invalid. */
const INTERPRETED: ReadonlySet<string> = new Set([
  ...['isMeta', 'isVirtual', 'isCompactSummary', 'isApiErrorMessage', 'apiError', 'origin', 'permissionMode', 'imagePasteIds', 'requestId'],
  ...['content', 'subtype', 'level', 'fragments', 'effectiveInputs', 'standing', 'inPlace', 'withdraws'],
]);

/** The members of a line that are stored as they are. */
export function others(line: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(line).filter(([name]) => !RECORDED_ELSEWHERE.has(name) && !INTERPRETED.has(name)));
}
