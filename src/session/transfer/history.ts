import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { MessageRecord, RestoreRecord, RewindRecord, SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { leadingTo, type WorkspaceVersion } from '../state/workspace.js';
import { type FilesAtLine, filesAtLine, versionOf } from './file-lines.js';

/** A rewind or a restore, as a line of an export. */
export type MoveLine = { readonly type: 'rewind' | 'restore'; readonly at: string; readonly [member: string]: unknown };

/** What an export contains of a conversation, in the order in which it happened. */
export type HistoryStep =
  | { readonly message: StoredMessage }
  | { readonly move: MoveLine }
  /** A change of the files of the session's folder. */
  | { readonly version: WorkspaceVersion }
  | { readonly filesAt: FilesAtLine };

/** A step before it is known whether an import would find the files of its message by itself. */
type Placed = { readonly seq: number } & (
  | { readonly record: MessageRecord }
  | { readonly move: MoveLine; readonly files: { readonly to: string | null } | undefined }
  | { readonly version: WorkspaceVersion }
);

/** All messages, and what moved the head from one to another: with both, another session has the same branches. The state may change later. */
export function historyOf(state: SessionState): readonly HistoryStep[] {
  const rewinds = [...state.rewinds.values()].map((record) => ({ seq: record.seq, move: rewindLine(record), files: record.data.files }));
  const restores = state.restores.map((record) => ({ seq: record.seq, move: restoreLine(record), files: record.data.files }));
  return steps(state, [...versionSteps(state, [...state.workspace.versions.values()]), ...recordSteps(state.messages.values()), ...rewinds, ...restores]);
}

/** The current branch alone, with the files that it had and has. */
export function currentOf(state: SessionState): readonly HistoryStep[] {
  const records = path(state);
  const reached = records.flatMap(({ files, filesBefore }) => (filesBefore === undefined ? [files] : [filesBefore, files]));
  return steps(state, [...versionSteps(state, leadingTo(state.workspace, [...reached, state.workspace.head])), ...recordSteps(records)]);
}

const recordSteps = (records: Iterable<MessageRecord>): readonly Placed[] => Array.from(records, (record) => ({ seq: record.seq, record }));

/** A change names the prompt of its turn: an import has no turns. */
function versionSteps({ messages }: SessionState, versions: readonly WorkspaceVersion[]): readonly Placed[] {
  if (versions.length === 0) return [];
  const prompts = new Map<string, string>();
  for (const { turnId, message } of messages.values()) if (turnId !== null && !prompts.has(turnId)) prompts.set(turnId, message.uuid);
  const calls = new Set([...messages.values()].flatMap(({ promptId }) => promptId ?? []));
  const places = placesOf(messages, versions);
  return versions.map((version) => ({ seq: places.get(version.version)!, version: versionOf(version, prompts.get(version.turnId ?? '') ?? null, calls) }));
}

/** What something else had changed was found after the first messages that have it: before these, and after the version that it changes. */
function placesOf(messages: SessionState['messages'], versions: readonly WorkspaceVersion[]): ReadonlyMap<string, number> {
  const places = new Map(versions.map(({ version, seq }) => [version, seq]));
  const atMost = (version: string | null | undefined, seq: number): void => {
    const place = places.get(version ?? '');
    if (version && place !== undefined && place > seq) places.set(version, seq);
  };
  for (const { seq, files, filesBefore } of messages.values()) {
    atMost(files, seq);
    atMost(filesBefore, seq);
  }
  for (const { version, base } of [...versions].reverse()) atMost(base, places.get(version)!);
  return places;
}

/** With a line before each message whose files an import would not know from what is before it. */
function steps({ messages, workspace }: SessionState, placed: readonly Placed[]): readonly HistoryStep[] {
  let head: string | null = null;
  const found: HistoryStep[] = [];
  for (const step of placed.toSorted((one, other) => one.seq - other.seq)) {
    if ('version' in step) {
      if (step.version.base === head) head = step.version.version;
      found.push({ version: step.version });
    } else if ('move' in step) {
      if (step.files) head = step.files.to;
      found.push({ move: step.move });
    } else {
      const { message, files, filesBefore } = step.record;
      const before = messages.get(message.parentUuid ?? '')?.files ?? null;
      if (files !== head || (filesBefore !== undefined && filesBefore !== before))
        found.push({ filesAt: filesAtLine(files, filesBefore === undefined ? before : filesBefore) });
      head = files;
      found.push({ message });
    }
  }
  if (head !== workspace.head) found.push({ filesAt: filesAtLine(workspace.head, null) });
  return found;
}

function rewindLine({ data: { rewindId, at: _, removed, permissionMode, reason, ...data }, at }: RewindRecord): MoveLine {
  const { before, after, from, to, ...rest } = data;
  const target = before === undefined ? { after } : { before };
  return { type: 'rewind', id: rewindId, ...target, from, to, removed, permissionMode, reason, ...rest, at };
}

function restoreLine({ data: { rewindId, to, permissionMode, files }, at }: RestoreRecord): MoveLine {
  return { type: 'restore', rewind: rewindId, to, permissionMode, ...(files ? { files } : {}), at };
}
