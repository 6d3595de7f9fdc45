import { Inject, Injectable } from '@nestjs/common';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { utf8Length } from '../../../packages/protocol/message/text.js';
import { AccessLog } from '../../engine/commands/access-log.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { EventStore, SessionList, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import { FileSessions } from './file-sessions.js';
import { type FileKey, projectOf, sessionOfFile } from './store-ids.js';

/** Events that are read in one go, and the bytes of several. */
const READ = { events: 200, bytes: 4 * 1024 * 1024 };

/** Archived files of one session that are listed. */
const ARCHIVED = 1_000;

export interface ListedFile {
  readonly id: string;
  readonly sessionId: string;
  readonly subpath: string | null;
  readonly mtime: number;
}

/** Reads session files that the caller keeps here. */
@Injectable()
export class FileReader {
  constructor(
    private readonly files: FileSessions,
    private readonly store: EventStore,
    private readonly sessions: Sessions,
    private readonly sessionList: SessionList,
    private readonly accesses: AccessLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_FILE_PAGE_BYTES'>,
  ) {}

  /** A page of lines after an event. Throws `not_found` for a file that was never written. */
  async lines(caller: AuthorizedCaller, key: FileKey, after: number) {
    const { id, state } = await this.files.find(caller, key);
    if (state.version === 0 || state.storedFile === null) throw new DomainError('not_found', 'No lines of this session file were ever appended.');
    const { version } = state;
    const reading = authorizedCaller(caller, 'session.read', caller.now);
    requireAccess(state, reading);
    await this.accesses.record(reading, id);
    const data: string[] = [];
    let bytes = 0;
    for (let at = after; at < version;) {
      const most = await this.store.within(caller.tenantId, id, at, READ);
      const events = await this.store.page(caller.tenantId, id, at, Math.min(most, version - at));
      if (events.length === 0) break;
      for (const event of events) {
        at = event.seq;
        if (event.type !== 'lines.appended' || event.erased) continue;
        data.push(...event.data.lines);
        bytes += event.data.lines.reduce((sum, line) => sum + utf8Length(line), 0);
        if (bytes >= this.settings.SESSION_FILE_PAGE_BYTES && at < version) return { id, data, next: at };
      }
    }
    return { id, data, next: null };
  }

  /** `sessionId` null: the main files of all sessions of the project. A fork of a file, or an import of its export, has the same metadata, and is no file. */
  async list(caller: AuthorizedCaller, projectKey: string, sessionId: string | null, limit: number, cursor: string | null) {
    const { tenantId, userId } = caller;
    const sessionFile = { project: projectOf(caller, projectKey), ...(sessionId === null ? { subpath: null } : { session: sessionId }) };
    const filter = { userId, metadata: { sessionFile } };
    const { data: current, nextCursor } = await this.sessionList.list(tenantId, { ...filter, archived: false }, limit, cursor);
    // Of one session also what is archived; what is erased has no metadata.
    const archived =
      sessionId === null || nextCursor !== null ? [] : (await this.sessionList.list(tenantId, { ...filter, archived: true }, ARCHIVED, null)).data;
    const data = [...current, ...archived];
    const files: ListedFile[] = [];
    for (const { id, updatedAt } of data) {
      const { session, subpath } = loose((await this.sessionList.find(tenantId, id))?.metadata['sessionFile']);
      if (typeof session !== 'string') continue;
      const key = { projectKey, sessionId: session, subpath: typeof subpath === 'string' ? subpath : null };
      const isFile = id === sessionOfFile(caller, key, 0) || id === (await this.files.find(caller, key)).id;
      if (isFile) files.push({ id, sessionId: session, subpath: key.subpath, mtime: Date.parse(updatedAt) });
    }
    return { data: files, nextCursor };
  }

  async withSummary(caller: AuthorizedCaller, file: ListedFile) {
    const { storedFile } = await this.sessions.load(caller.tenantId, file.id);
    return { ...file, summary: storedFile?.summary ?? null, summaryNumber: storedFile?.summarySeq ?? 0 };
  }
}
