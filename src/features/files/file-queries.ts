import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import type { WorkspaceFile } from '../../../packages/protocol/events/events.js';
import { type Blob, ReadSessions } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState } from '../../session/state/state.js';
import { differences, type FileDifference, filesOf, isPartlyErased, type WorkspaceVersion } from '../../session/state/workspace.js';
import { versionAt } from '../../session/state/workspace-points.js';
import { asVisible } from '../../session/transcript/visible.js';
import { patchOf } from './patch.js';

/** Patches of one answer: each reads two files. */
const MOST_PATCHES = 500;

export interface DiffInput {
  readonly from: string | null;
  readonly to: string | null;
  readonly turn: string | null;
  /** A message: what a rewind of the files to before it would change. */
  readonly rewind: string | null;
  readonly path: string | null;
  /** False: which files differ, without their texts. */
  readonly patches: boolean;
}

/** What the log says about the files of a session's folder. No folder is looked at. */
@Injectable()
export class FileQueries {
  constructor(
    private readonly queries: SessionQueries,
    private readonly sessions: ReadSessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WORKSPACE_DIFF_BYTES' | 'WORKSPACE_HISTORY'>,
  ) {}

  async list(
    caller: AuthorizedCaller,
    sessionId: string,
    { at, after, limit }: { readonly at: string | null; readonly after: number; readonly limit: number },
  ) {
    const state = await this.#load(caller, sessionId);
    const { version, workspace } = state;
    const shown = placeOf(state, at);
    const all = [...filesOf(workspace, shown).values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    return { version, at: shown, skipped: workspace.versions.get(shown ?? '')?.skipped ?? [], ...pageOf(all, after, limit) };
  }

  async read(caller: AuthorizedCaller, sessionId: string, path: string, at: string | null): Promise<Blob & Pick<WorkspaceFile, 'path'>> {
    const state = await this.#load(caller, sessionId);
    const place = placeOf(state, at);
    const file = filesOf(state.workspace, place).get(path);
    if (!file && isPartlyErased(state.workspace, place)) {
      throw new DomainError(
        'file_erased',
        'There is no file with this path at that point. What steps of an erased message had written is erased, and cannot be read any more.',
      );
    }
    if (!file) throw new DomainError('blob_not_found', 'The session has no file with this path at that point; list its files.');
    return { ...(await this.queries.blob(caller, sessionId, file.sha256)), path };
  }

  /** Oldest first. */
  async versions(caller: AuthorizedCaller, sessionId: string, after: number, limit: number) {
    const state = await this.#load(caller, sessionId);
    const { version, workspace } = state;
    const lastOf = new Map<string, string | null>();
    const messageOf = (turnId: string): string | null => {
      if (!lastOf.has(turnId)) lastOf.set(turnId, newestOf(state, turnId));
      return lastOf.get(turnId) ?? null;
    };
    const { data, nextCursor } = pageOf([...workspace.versions.values()], after, limit);
    const rows = data.map(({ version: id, base, seq, at, cause, turnId, toolUseId, files, deleted, removed }) => ({
      ...{
        id,
        base,
        seq,
        at,
        cause,
        turnId: turnId ?? null,
        message: turnId === undefined ? null : messageOf(turnId),
        toolUseId: toolUseId ?? null,
        changed: files.length,
        deleted: deleted.length,
        isCurrent: id === workspace.head,
      },
      isErased: removed !== undefined,
    }));
    return { version, records: this.settings.WORKSPACE_HISTORY, data: rows, nextCursor };
  }

  async diff(caller: AuthorizedCaller, sessionId: string, input: DiffInput) {
    const state = await this.#load(caller, sessionId);
    const { version, workspace } = state;
    const { from, to, outside } = rangeOf(state, input);
    const changed = differences(filesOf(workspace, from), filesOf(workspace, to)).filter(
      ({ path }) => (input.path === null || path === input.path) && !outside.has(path),
    );
    const data = [];
    let [bytes, patches] = [0, 0];
    for (const one of changed) {
      // Of one file that is asked for, the whole; of many, the first ones.
      const most = input.path === null ? this.settings.WORKSPACE_DIFF_BYTES - bytes : this.settings.WORKSPACE_DIFF_BYTES;
      const size = (one.before?.size ?? 0) + (one.after?.size ?? 0);
      const isLarge = size > most || patches >= MOST_PATCHES;
      if (!isLarge) {
        bytes += size;
        patches += 1;
      }
      data.push(await this.#difference(caller, sessionId, one, !input.patches ? 'unasked' : isLarge ? 'large' : null));
    }
    return { version, from, to, data };
  }

  async #difference(caller: AuthorizedCaller, sessionId: string, { path, before, after }: FileDifference, omitted: 'large' | 'unasked' | null) {
    const change = before === null ? ('added' as const) : after === null ? ('deleted' as const) : ('changed' as const);
    const named = { path, change, before, after };
    if (before?.sha256 === after?.sha256) return { ...named, patch: null, omitted: 'same' as const };
    if (omitted !== null) return { ...named, patch: null, omitted };
    const bytesOf = async (file: WorkspaceFile | null): Promise<Uint8Array> =>
      file === null ? new Uint8Array() : (await this.queries.blob(caller, sessionId, file.sha256)).content;
    return { ...named, ...(await patchOf(path, await bytesOf(before), await bytesOf(after))) };
  }

  /** Checks that the caller may read the session. */
  async #load(caller: AuthorizedCaller, sessionId: string): Promise<SessionState> {
    const state = await this.sessions.load(caller.tenantId, sessionId);
    requireAccess(state, caller);
    return state;
  }
}

/** The version that a uuid names, by itself or as a message. */
function placeOf({ workspace, messages }: SessionState, at: string | null): string | null {
  if (at === null) return workspace.head;
  if (workspace.versions.has(at)) return at;
  const record = messages.get(at);
  if (record) return record.files;
  throw new DomainError('message_not_found', 'The session has no message and no version of its files with this uuid.');
}

/** The newest message of a turn that readers see. */
function newestOf({ turns, messages }: SessionState, turnId: string): string | null {
  const isSeen = (uuid: string): boolean => {
    const record = messages.get(uuid);
    return record !== undefined && asVisible(record.message) !== null;
  };
  return turns.get(turnId)?.messages.findLast(isSeen) ?? null;
}

interface Range {
  readonly from: string | null;
  readonly to: string | null;
  /** Of a turn: paths that something else has changed during it, and the turn has not. */
  readonly outside: ReadonlySet<string>;
}

function rangeOf(state: SessionState, { from, to, turn, rewind }: DiffInput): Range {
  const { versions, head } = state.workspace;
  if (rewind !== null) {
    if (!state.messages.has(rewind)) throw new DomainError('message_not_found', 'The session has no message with this uuid.');
    return { from: head, to: versionAt(state, { before: rewind }), outside: new Set() };
  }
  if (turn === null) {
    const last = placeOf(state, to);
    return { from: from === null ? (versions.get(last ?? '')?.base ?? null) : placeOf(state, from), to: last, outside: new Set() };
  }
  const found = state.turns.get(turn);
  if (!found) throw new DomainError('turn_not_found', 'There is no such turn in the session.');
  const made = [...versions.values()].filter(({ turnId, base }) => turnId === turn && isAfter(state, base, found.filesBefore));
  const pathsBy = (of: WorkspaceVersion['cause']): readonly string[] =>
    made.filter(({ cause }) => cause === of).flatMap(({ files, deleted }) => [...files.map(({ path }) => path), ...deleted]);
  const own = new Set(pathsBy('step'));
  const outside = new Set(pathsBy('outside').filter((path) => !own.has(path)));
  return { from: found.filesBefore, to: made.at(-1)?.version ?? found.filesBefore, outside };
}

/** Whether a version was made of another one; what was found in a folder of another version was not. */
function isAfter({ workspace }: SessionState, version: string | null, start: string | null): boolean {
  for (let at = version; at !== start; at = workspace.versions.get(at)?.base ?? null) if (at === null) return false;
  return true;
}

function pageOf<T>(all: readonly T[], after: number, limit: number): { readonly data: readonly T[]; readonly nextCursor: string | null } {
  const end = after + limit;
  return { data: all.slice(after, end), nextCursor: end < all.length ? String(end) : null };
}
