import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { ComputePool, erasedSession, ERASURES, LiveBus, Encryption, Sessions } from '../../ports/index.js';
import { checkEvery, dropErased } from './erased-sessions.js';

/**
 * Drops from the memory of this process what it keeps of a session when content of it is erased, by whichever process: the folded session with what hangs on it, and the data key; also
 * in its compute processes. A lost announcement has no wrong answer as its effect, because each use of a folded session reads the log. It is recovered when the live bus reports a gap, and by regular
 * comparisons of the cached sessions with the log, in one statement for 500.
 */
@Injectable()
export class ErasedMemory implements OnModuleInit, BeforeApplicationShutdown {
  readonly #log = new Logger(ErasedMemory.name);
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;
  #isTidying = false;

  constructor(
    private readonly live: LiveBus,
    private readonly sessions: Sessions,
    private readonly compute: ComputePool,
    private readonly encryption: Encryption,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_CACHE_IDLE_MS'>,
  ) {}

  onModuleInit(): void {
    this.#unsubscribe = this.live.subscribe(ERASURES, ({ sessionId: channel }) => {
      const erased = erasedSession(channel);
      if (erased) this.#forget(erased.tenantId, erased.sessionId);
      else void this.#evictStale(); // signals may have been missed
    });
    this.#timer = setInterval(() => void this.#evictStale(), checkEvery(this.settings.SESSION_CACHE_IDLE_MS));
    this.#timer.unref();
  }

  beforeApplicationShutdown(): void {
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
  }

  async #evictStale(): Promise<void> {
    if (this.#isTidying) return;
    this.#isTidying = true;
    try {
      const erased = await dropErased(this.sessions, this.encryption, this.settings.SESSION_CACHE_IDLE_MS);
      for (const { tenantId, sessionId } of erased) this.compute.forget(tenantId, sessionId);
    } catch (error) {
      this.#log.warn(`cached sessions could not be compared with the log; retrying: ${String(error)}`);
    }
    this.#isTidying = false;
  }

  #forget(tenantId: string, sessionId: string): void {
    this.sessions.forget(tenantId, sessionId);
    this.compute.forget(tenantId, sessionId);
    this.encryption.drop(sessionId);
  }
}
