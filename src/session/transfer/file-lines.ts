import {
  type EventData,
  LINK_MODE,
  MOST_SKIPPED,
  type NewEvent,
  SKIP_REASONS,
  type SkipReason,
  type WorkspaceFile,
} from '../../../packages/protocol/events/events.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { WorkspaceVersion } from '../state/workspace.js';
import { timeIn, uuidIn } from './shape.js';

/** The files of a session's folder in an export: lines `content` with bytes, `files` with a change, and `files-at` where the files are others than what is before the line tells. */

/** Bytes of content in one line. */
export const CONTENT_BYTES = 1024 * 1024;
/** Paths in one line: a longer change takes several, all but the last with `more`. */
export const LINE_PATHS = 1_000;
const PATH_LENGTH = 4_096;

/** `before`: what a rewind to before the next message goes to. After the last message: the current files. */
export type FilesAtLine = { readonly type: 'files-at'; readonly at: string | null; readonly before: string | null };
export const filesAtLine = (at: string | null, before: string | null): FilesAtLine => ({ type: 'files-at', at, before });

export const isFileLine = (value: unknown): value is UnknownObject =>
  isObject(value) && (value['type'] === 'content' || value['type'] === 'files' || value['type'] === 'files-at');

/** As it is without its turn. `ofPrompts`: ids of prompts, which calls of bash mode have. */
export function versionOf(version: WorkspaceVersion, prompt: string | null, ofPrompts: ReadonlySet<string>): WorkspaceVersion {
  const { turnId: _, ...rest } = version;
  const isOfCall = version.toolUseId !== undefined && !ofPrompts.has(version.toolUseId);
  return isOfCall || version.cause === 'outside' || prompt === null || version.prompt !== undefined ? rest : { ...rest, prompt };
}

/** The lines of a change. */
export function* versionLines({ version, base, cause, toolUseId, prompt, at, files, deleted, skipped, removed }: WorkspaceVersion): Generator<object> {
  const paths = [...files.map((file) => ({ file })), ...deleted.map((path) => ({ path }))];
  for (let from = 0; from === 0 || from < paths.length; from += LINE_PATHS) {
    const part = paths.slice(from, from + LINE_PATHS);
    const more = from + LINE_PATHS < paths.length ? { more: true } : {};
    yield {
      ...{ type: 'files', version, base, cause },
      ...(toolUseId === undefined ? {} : { toolUseId }),
      ...(prompt === undefined ? {} : { prompt }),
      ...{ at, skipped, ...(removed === undefined ? {} : { removed }), ...more },
      files: part.flatMap((one) => ('file' in one ? [one.file] : [])),
      deleted: part.flatMap((one) => ('path' in one ? [one.path] : [])),
    };
  }
}

/** The lines of a content. `base64`: of bytes. */
export function* contentLines(sha256: string, content: Uint8Array, base64: (bytes: Uint8Array) => string): Generator<object> {
  for (let at = 0; at === 0 || at < content.length; at += CONTENT_BYTES) {
    yield { type: 'content', sha256, size: content.length, at, data: base64(content.subarray(at, at + CONTENT_BYTES)) };
  }
}

/** What a line says of a change, besides its names. */
export type ChangeLine = Omit<EventData['workspace.changed'], 'turnId' | 'prompt'> & { readonly prompt: string | null };

/** Null: it is no change. */
export function changeIn(value: unknown): ChangeLine | null {
  if (!isObject(value)) return null;
  const { cause, toolUseId, files, deleted, skipped, removed } = value;
  const [version, at] = [uuidIn(value['version']), timeIn(value['at'])];
  const base = value['base'] === null ? null : uuidIn(value['base']);
  if (version === null || at === null || (base === null && value['base'] !== null) || (cause !== 'step' && cause !== 'outside')) return null;
  if (!isList(files, isFile) || !isList(deleted, isPath) || !isList(skipped, isSkipped) || skipped.length > MOST_SKIPPED) return null;
  if (removed !== undefined && !isList(removed, isPlace)) return null;
  if (toolUseId !== undefined && (typeof toolUseId !== 'string' || !CALL.test(toolUseId))) return null;
  const named = files.map(({ path, mode, sha256, size }) => ({ type: 'blob' as const, path, mode, sha256, size }));
  return {
    ...{ version, base, cause, files: named, deleted, skipped: skipped.map(({ path, reason }) => ({ path, reason })), at },
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(removed === undefined ? {} : { removed: removed.map((place) => ({ version: place.version.toLowerCase(), index: place.index })) }),
    prompt: uuidIn(value['prompt']),
  };
}

/** A change made of its lines. `refusal`: why a file of it cannot be kept; then it is not there after the change. `placeOf`: where a file of an earlier change is now; null: it was refused. */
export function changeEvent(
  lines: readonly ChangeLine[],
  prompt: string | undefined,
  refusal: (file: WorkspaceFile) => SkipReason | null,
  placeOf: (version: string, index: number) => number | null,
): NewEvent & { readonly type: 'workspace.changed' } {
  const { prompt: _, removed, ...first } = lines[0]!;
  const all = lines.flatMap(({ files }) => files);
  const refused = all.flatMap(({ path, ...file }) => {
    const reason = refusal({ path, ...file });
    return reason === null ? [] : [{ path, reason }];
  });
  const isRefused = new Set(refused.map(({ path }) => path));
  const places = removed?.flatMap(({ version, index }) => {
    const at = placeOf(version, index);
    return at === null ? [] : [{ version, index: at }];
  });
  return {
    type: 'workspace.changed',
    data: {
      ...first,
      files: all.filter(({ path }) => !isRefused.has(path)),
      deleted: [...lines.flatMap(({ deleted }) => deleted), ...isRefused],
      skipped: [...first.skipped, ...refused].slice(0, MOST_SKIPPED),
      ...(places === undefined ? {} : { removed: places }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  };
}

/** As ids of calls are stored. */
const CALL = /^[A-Za-z0-9_.:@/-]{1,200}$/;

export const SHA256 = /^[0-9a-f]{64}$/;

const isList = <T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] => Array.isArray(value) && value.every(isItem);

/** A path that stays in the folder. */
function isPath(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > PATH_LENGTH || !value.isWellFormed() || value.includes('\0')) return false;
  return value.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function isFile(value: unknown): value is WorkspaceFile {
  if (!isObject(value) || !isPath(value['path']) || typeof value['sha256'] !== 'string' || !SHA256.test(value['sha256'])) return false;
  const { mode, size } = value;
  return isCount(size) && isCount(mode) && (mode <= 0o777 || mode === LINK_MODE);
}

const isSkipped = (value: unknown): value is { readonly path: string; readonly reason: SkipReason } =>
  isObject(value) && typeof value['path'] === 'string' && value['path'].isWellFormed() && SKIP_REASONS.includes(value['reason'] as SkipReason);

const isPlace = (value: unknown): value is { readonly version: string; readonly index: number } =>
  isObject(value) && uuidIn(value['version']) !== null && isCount(value['index']);

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
