import { Inject, Injectable, Logger } from '@nestjs/common';
import { KeyedMutex } from '../../platform/async/keyed-mutex.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Blobs, Clock, type FolderContent, SessionFiles, type SessionName, Sessions } from '../../ports/index.js';
import { type EventData, MOST_SKIPPED, type WorkspaceFile } from '../../../packages/protocol/events/events.js';
import { differences, filesOf, type WorkspaceState } from '../../session/state/workspace.js';
import { Admission } from '../commands/admission.js';
import { batched } from '../../platform/async/batched.js';
import { type ClaimedTurn, isOvertaken, TurnReports } from './turn-reports.js';

type Change = Pick<EventData['workspace.changed'], 'files' | 'deleted' | 'skipped'>;

interface Recorded {
  readonly change: Change;
  /** Paths of files that no quota has room for. */
  readonly refused: ReadonlySet<string>;
  /** Whether the folder holds what it was compared with, and nothing else that could be recorded. */
  readonly isSame: boolean;
}

/** The files of the version that a folder is marked with, and what was found there that is the same. */
interface Compared {
  readonly mark: string | null;
  readonly recorded: ReadonlyMap<string, WorkspaceFile>;
  readonly found: FolderContent['files'];
}

/** Of content that is in memory at once, in bytes. */
const BATCH_BYTES = 16 * 1024 * 1024;

const OCTETS = 'application/octet-stream';

const NO_FILES: ReadonlyMap<string, WorkspaceFile> = new Map();
const NO_PATHS: ReadonlySet<string> = new Set();

/** What a turn has to do with the folder. */
interface Use {
  readonly wasUsed: () => boolean;
  /** Aborts when the process stops or has lost the turn. */
  readonly process: AbortSignal;
  /** What was not recorded when the folder was last looked at. */
  skipped: FolderContent['skipped'];
  /** When the folder was last looked at and nothing had changed. */
  compared: Compared | null;
  /** A look at the folder that has not begun: it finds what steps have changed that end before it begins, too. */
  next: Promise<void> | null;
}

/**
 * Keeps the log and the session's folder the same. Before the first step of a turn that uses the folder, it is made what the log says: a folder is a cache, on whatever machine.
 * After a step, what has changed in it is recorded.
 */
@Injectable()
export class WorkspaceLog {
  readonly #log = new Logger(WorkspaceLog.name);
  readonly #mutex = new KeyedMutex();
  readonly #uses = new Map<string, Use>();

  constructor(
    private readonly folders: SessionFiles,
    private readonly sessions: Sessions,
    private readonly blobs: Blobs,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
    private readonly admission: Admission,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WORKSPACE_HISTORY'>,
  ) {}

  /** Runs the steps of a turn. A turn that does not use the folder costs nothing. */
  during<T>(job: ClaimedTurn, process: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!this.settings.WORKSPACE_HISTORY) return work();
    return this.folders.during(
      job,
      () => this.#alone(job, () => this.#prepare(job)),
      async (wasUsed) => {
        const use: Use = { wasUsed, process, skipped: [], compared: null, next: null };
        this.#uses.set(job.turnId, use);
        try {
          return await work();
        } finally {
          // A process that has lost a turn and taken it again may still be ending the first time.
          if (this.#uses.get(job.turnId) === use) this.#uses.delete(job.turnId);
        }
      },
    );
  }

  /**
   * Records what a step has changed; no event if nothing has. Steps that end while another one is recorded are recorded together, after it. While files or events cannot be stored it waits: files of a finished step are never only on this machine. Throws `turn_over` as a report
   * does. What cannot be read is logged, and is recorded by the next step that can.
   */
  async record(job: ClaimedTurn, toolUseId: string | null): Promise<void> {
    const use = this.#uses.get(job.turnId);
    if (!use?.wasUsed()) return;
    use.next ??= this.#alone(job, async () => {
      use.next = null;
      try {
        await this.reports.patiently("the session's folder", () => this.#record(job, 'step', toolUseId), use.process);
      } catch (error) {
        if (isOvertaken(error, 'turn_over') || isOvertaken(error, 'version_conflict')) throw error;
        this.#log.error({ msg: "the session's folder could not be recorded", sessionId: job.sessionId, err: error });
      }
    });
    await use.next;
  }

  /** What differs between the folder and the version that it is known to hold becomes the next version. */
  async #record(job: ClaimedTurn, cause: 'step' | 'outside', toolUseId: string | null): Promise<void> {
    const { workspace } = await this.sessions.load(job.tenantId, job.sessionId);
    const base = workspace.head;
    const mark = markOf(workspace, base);
    const use = this.#uses.get(job.turnId);
    const last = use?.compared?.mark === mark ? use.compared : null;
    const before = last?.recorded ?? filesOf(workspace, base);
    const found = await this.folders.look(job, before);
    const { change, isSame } = last?.found === found.files ? unchanged(found) : await this.#change(job, before, found);
    if (use) use.compared = isSame ? { mark, recorded: before, found: found.files } : null;
    // What is not recorded, such as a device, exists on this machine only: only a step that adds or removes it is one that has changed something.
    if (isEmpty(change) && (cause === 'outside' || JSON.stringify(change.skipped) === JSON.stringify(use?.skipped ?? []))) {
      if (use) use.skipped = change.skipped;
      if ((await this.folders.version(job)) !== mark) await this.#mark(job, mark);
      return;
    }
    const version = await this.#report(job, base, cause, toolUseId, change);
    if (use) use.skipped = change.skipped; // a report that fails is tried again, with the same
    await this.#mark(job, markOf(workspace, version));
  }

  /** What is known of a folder saves work only: on a full disk it is compared again, and the model can still remove files. */
  async #mark(job: ClaimedTurn, version: string | null): Promise<void> {
    await this.folders.mark(job, version).catch((error: unknown) => {
      this.#log.error({ msg: "what is known of the session's folder could not be stored", sessionId: job.sessionId, err: error });
    });
  }

  /** Makes the folder what the log says. What other programs have changed in it is recorded first. */
  async #prepare(job: ClaimedTurn): Promise<void> {
    const marked = await this.folders.version(job);
    const { workspace } = await this.sessions.load(job.tenantId, job.sessionId);
    const { head, erasure } = workspace;
    if (marked === markOf(workspace, head) || (marked === undefined && head === null && erasure === null)) return this.#record(job, 'outside', null);
    const target = filesOf(workspace, head);
    const held = marked === undefined ? undefined : versionIn(marked);
    const found = await this.folders.look(job, held === undefined ? target : filesOf(workspace, held));
    // What was in a folder before an erasure may be what was erased: it is not recorded again.
    const isKnown = erasure === null || marked?.endsWith(`+${erasure}`);
    const unrecorded = isKnown ? await this.#recordStray(job, workspace, held, found, target) : NO_PATHS;
    const wrong = differences(found.files, target);
    const removed = wrong.flatMap(({ path, after }) => (after === null && !unrecorded.has(path) ? [path] : []));
    const written = wrong.flatMap(({ after }) => (after === null ? [] : [after]));
    for (const batch of batched(written, ({ size }) => size, BATCH_BYTES)) {
      const contents = await this.blobs.get(job.tenantId, job.sessionId, [...new Set(batch.map(({ sha256 }) => sha256))]);
      const files = batch.map(({ path, mode, sha256 }) => {
        const content = contents.get(sha256)?.content;
        if (!content) throw Object.assign(new Error(`the content of a file of version ${head} is not stored`), { code: 'ENODATA' });
        return { path, mode, content };
      });
      await this.folders.write(job, removed.splice(0), files, [...unrecorded]);
    }
    if (removed.length > 0) await this.folders.write(job, removed, [], [...unrecorded]);
    const { skipped } = await this.folders.look(job, target);
    const use = this.#uses.get(job.turnId);
    if (use) use.skipped = skipped;
    await this.#mark(job, markOf(workspace, head));
  }

  /** What is in a folder of another version and in neither of the two: it is in the log before it is replaced. Resolves to the paths for which there is no room. */
  async #recordStray(
    job: ClaimedTurn,
    workspace: WorkspaceState,
    held: string | null | undefined,
    found: FolderContent,
    target: ReadonlyMap<string, WorkspaceFile>,
  ): Promise<ReadonlySet<string>> {
    const before = held === undefined ? NO_FILES : filesOf(workspace, held);
    const isStray = (path: string, now: WorkspaceFile | undefined): boolean => {
      const meant = target.get(path);
      return now?.sha256 !== meant?.sha256 || now?.mode !== meant?.mode;
    };
    const stray = differences(before, found.files).filter(({ path, after }) => isStray(path, after ?? undefined));
    if (stray.length === 0) return NO_PATHS;
    const only = { files: new Map(stray.flatMap(({ path, after }) => (after ? [[path, after] as const] : []))), skipped: found.skipped };
    const known = new Map(stray.flatMap(({ path, before: old }) => (old ? [[path, old] as const] : [])));
    const { change, refused } = await this.#change(job, known, only);
    await this.#report(job, held ?? null, 'outside', null, change);
    return refused;
  }

  /** With the contents stored, each once. A file that changes meanwhile is recorded as it was when it was read. */
  async #change({ tenantId, sessionId }: SessionName, before: ReadonlyMap<string, WorkspaceFile>, now: Omit<FolderContent, 'hashed'>): Promise<Recorded> {
    const changed = differences(before, now.files);
    const found = changed.flatMap(({ after }) => (after ? [after] : []));
    const refused = await this.#overQuota({ tenantId, sessionId }, found);
    const admitted = found.filter(({ path }) => !refused.has(path));
    const files: WorkspaceFile[] = [];
    for (const batch of batched(admitted, ({ size }) => size, BATCH_BYTES)) {
      const contents = await this.folders.read(
        { tenantId, sessionId },
        batch.map(({ path }) => path),
      );
      for (const { path, mode } of batch) {
        const content = contents.get(path);
        if (!content) continue; // gone since: the next step records that
        const { sha256, bytes: size } = await this.blobs.put(tenantId, sessionId, OCTETS, content);
        files.push({ path, mode, sha256, size });
      }
    }
    const deleted = changed.flatMap(({ path, before: old, after }) => (after === null || (old !== null && refused.has(path)) ? [path] : []));
    const skipped = [...[...refused].map((path) => ({ path, reason: 'quota' as const })), ...now.skipped].slice(0, MOST_SKIPPED);
    return { change: { files: files.map((file) => ({ type: 'blob', ...file })), deleted, skipped }, refused, isSame: changed.length === 0 };
  }

  /** Paths of files whose contents the quotas of the tenant and the owner have no room for. What the session has stored already needs none. */
  async #overQuota({ tenantId, sessionId }: SessionName, files: readonly WorkspaceFile[]): Promise<ReadonlySet<string>> {
    const refused = new Set<string>();
    if (files.length === 0) return refused;
    const { ownerId } = await this.sessions.load(tenantId, sessionId);
    let room = await this.admission.room({ tenantId, userId: ownerId ?? '' });
    if (room === Infinity) return refused;
    const stored = new Set(await this.blobs.list(tenantId, sessionId));
    for (const { path, sha256, size } of files) {
      if (stored.has(sha256)) continue;
      if (size > room) {
        refused.add(path);
        continue;
      }
      room -= size;
      stored.add(sha256);
    }
    return refused;
  }

  async #report(job: ClaimedTurn, base: string | null, cause: 'step' | 'outside', toolUseId: string | null, change: Change): Promise<string> {
    const version = this.clock.uuid();
    const named = { version, base, cause, ...(toolUseId === null ? {} : { toolUseId }), ...change };
    await this.reports.report(job, `workspace:${version}`, { type: 'RecordWorkspace', turnId: job.turnId, change: named });
    return version;
  }

  /** Of concurrent calls, each records what it finds as a change of what the one before has found. */
  #alone({ tenantId, sessionId }: SessionName, work: () => Promise<void>): Promise<void> {
    return this.#mutex.run(`${tenantId}/${sessionId}`, work);
  }
}

const unchanged = ({ skipped }: FolderContent): Recorded => ({
  change: { files: [], deleted: [], skipped: skipped.slice(0, MOST_SKIPPED) },
  refused: NO_PATHS,
  isSame: true,
});

/** What a folder is marked with: the version that it holds, and the last erasure of files that it has seen. Null: an empty folder without one. */
const markOf = ({ erasure }: WorkspaceState, version: string | null): string | null => (erasure === null ? version : `${version ?? ''}+${erasure}`);
const versionIn = (mark: string | null): string | null => mark?.split('+')[0] || null;

const isEmpty = ({ files, deleted }: Change): boolean => files.length === 0 && deleted.length === 0;
