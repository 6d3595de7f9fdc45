import { Inject, Injectable } from '@nestjs/common';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { Pace } from '../../engine/queries/pace.js';
import { newSession } from '../../http/new-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { EventStore, Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import { StoredLines } from '../../session/stored-file/stored-lines.js';
import { derivedUuid, type FileKey, sessionOfFile } from './store-ids.js';

/** Lines whose positions are remembered, those of the files that were used last: some hundred bytes each. */
const REMEMBERED_LINES = 200_000;

/** Events that are read in one go. */
const PAGE = 500;

/** A file may be erased and written again; each time it is another session. */
const MOST_ERASED = 1_000;

/** The session files that clients keep. */
@Injectable()
export class KeptFiles {
  readonly defaults: SessionSettings;
  readonly #files = new Map<string, StoredLines>();

  constructor(
    private readonly store: EventStore,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL' | 'MAX_IMPORT_LINE_BYTES' | 'REFUSED_PROMPTS'>,
  ) {
    this.defaults = newSession({}, settings.MODEL);
  }

  /** The session of a file; version 0: the file was never written, or it was erased. The state is read at once: it advances with the log. */
  async find(owner: { readonly tenantId: string; readonly userId: string }, key: FileKey): Promise<{ readonly id: string; readonly state: SessionState }> {
    for (let erased = 0; erased < MOST_ERASED; erased += 1) {
      const id = sessionOfFile(owner, key, erased);
      const state = await this.sessions.load(owner.tenantId, id);
      if (!state.erased) return { id, state };
    }
    throw new Error(`a session file was erased ${MOST_ERASED} times`);
  }

  /** The lines of a session up to a version. They are the caller's alone until they are given back. */
  async take(tenantId: string, sessionId: string, version: number): Promise<StoredLines> {
    const known = this.#files.get(sessionId);
    this.#files.delete(sessionId);
    const file = known && known.version <= version ? known : this.#empty(sessionId);
    const isKnown = file.version > 0;
    const pace = new Pace();
    while (file.version < version) {
      const events = await this.store.page(tenantId, sessionId, file.version, Math.min(PAGE, version - file.version));
      if (events.length === 0) throw new Error(`session ${sessionId} has no event ${file.version + 1}`);
      for (const event of events) {
        // It knows what was erased: it is read again.
        if (event.type === 'content.erased' && isKnown) return this.take(tenantId, sessionId, version);
        file.apply(event);
        if (event.type === 'lines.appended') await pace.after(event.data.lines.reduce((sum, { length }) => sum + length, 0));
      }
    }
    return file;
  }

  give(sessionId: string, file: StoredLines): void {
    this.#files.delete(sessionId);
    this.#files.set(sessionId, file);
    let lines = 0;
    for (const { count } of this.#files.values()) lines += count + 1;
    for (const [oldest, { count }] of this.#files) {
      if (lines <= REMEMBERED_LINES) return;
      this.#files.delete(oldest);
      lines -= count + 1;
    }
  }

  #empty(sessionId: string): StoredLines {
    return new StoredLines({
      maxMessageBytes: this.settings.MAX_IMPORT_LINE_BYTES,
      keepsRefusedPrompts: this.settings.REFUSED_PROMPTS === 'keep',
      uuid: (name) => derivedUuid(sessionId, name),
    });
  }
}
