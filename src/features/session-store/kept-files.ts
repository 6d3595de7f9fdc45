import { Inject, Injectable } from '@nestjs/common';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { Pace } from '../../engine/queries/pace.js';
import { newSession } from '../../http/new-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { EventStore, Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import { StoredLines } from '../../session/stored-file/stored-lines.js';
import { derivedUuid } from './store-ids.js';

/** Events that are read in one go, and the bytes of several. */
const READ = { events: 500, bytes: 4 * 1024 * 1024 };

/**
 * The session files that clients keep. What is known of a file is kept as long as the state of its session is cached: it leaves the memory with it when content of the session is erased, and when it was
 * not used for `SESSION_CACHE_IDLE_MS`. Of all files together `SESSION_FILE_CACHE_BYTES` are kept, those that were used last.
 */
@Injectable()
export class KeptFiles {
  readonly defaults: SessionSettings;
  readonly #files = new Map<SessionState, StoredLines>();
  #bytes = 0;

  constructor(
    private readonly store: EventStore,
    private readonly sessions: Sessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL' | 'MAX_IMPORT_LINE_BYTES' | 'REFUSED_PROMPTS' | 'SESSION_FILE_CACHE_BYTES'>,
  ) {
    sessions.onEvicted((state) => this.#remove(state));
    this.defaults = newSession({}, settings.MODEL);
  }

  /** The lines of a session as the state has them now. They are the caller's alone until they are given back. */
  async take(tenantId: string, sessionId: string, state: SessionState): Promise<StoredLines> {
    const { version } = state;
    const known = this.#remove(state);
    return (known && (await this.#continued(tenantId, sessionId, known, version))) ?? (await this.#read(tenantId, sessionId, version));
  }

  /** Keeps the lines, unless the session is not cached as they have it: content of it may have been erased since. */
  give(tenantId: string, sessionId: string, file: StoredLines): void {
    const state = this.sessions.known(tenantId, sessionId);
    if (state?.version !== file.version) return;
    this.#remove(state);
    this.#files.set(state, file);
    this.#bytes += file.bytes;
    for (const oldest of this.#files.keys()) {
      // The last one stays whatever its size: reading it again for each append would cost far more.
      if (this.#bytes <= this.settings.SESSION_FILE_CACHE_BYTES || oldest === state) return;
      this.#remove(oldest);
    }
  }

  /** Bytes of memory that the kept files take, approximately. */
  get bytes(): number {
    return this.#bytes;
  }

  #remove(state: SessionState): StoredLines | null {
    const known = this.#files.get(state) ?? null;
    if (known) this.#bytes -= known.bytes;
    this.#files.delete(state);
    return known;
  }

  async #read(tenantId: string, sessionId: string, version: number): Promise<StoredLines> {
    const file = this.#empty(sessionId);
    await this.#follow(tenantId, sessionId, file, version);
    return file;
  }

  /** Null: it knows what was erased. */
  async #continued(tenantId: string, sessionId: string, known: StoredLines, version: number): Promise<StoredLines | null> {
    return (await this.#follow(tenantId, sessionId, known, version)) ? null : known;
  }

  /** Returns whether content was erased meanwhile. */
  async #follow(tenantId: string, sessionId: string, file: StoredLines, version: number): Promise<boolean> {
    let isErased = false;
    const pace = new Pace();
    while (file.version < version) {
      const most = await this.store.within(tenantId, sessionId, file.version, READ);
      const events = await this.store.page(tenantId, sessionId, file.version, Math.min(most, version - file.version));
      if (events.length === 0) throw new Error(`session ${sessionId} has no event ${file.version + 1}`);
      for (const event of events) {
        isErased ||= event.type === 'content.erased';
        file.apply(event);
        if (event.type === 'lines.appended') await pace.after(event.data.lines.reduce((sum, { length }) => sum + length, 0));
      }
    }
    return isErased;
  }

  #empty(sessionId: string): StoredLines {
    return new StoredLines({
      maxMessageBytes: this.settings.MAX_IMPORT_LINE_BYTES,
      keepsRefusedPrompts: this.settings.REFUSED_PROMPTS === 'keep',
      uuid: (name) => derivedUuid(sessionId, name),
    });
  }
}
