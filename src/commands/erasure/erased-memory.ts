import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/env.js';
import { ComputePool, erasedSession, EVERY_SESSION, LiveBus, Sealing, Sessions } from '../../core/ports.js';

/** How often in its length the idle time of cached sessions is checked. */
const CHECKS_PER_IDLE_TIME = 4;

/**
 * Drops from the memory of this process what it keeps of a session when content of it is erased, by whichever process: the folded session with what hangs on it, and the data key; also
 * in its compute processes. An announcement that got lost has no wrong answer as its effect, because each use of a folded session reads the log; the content stays in memory until then, or until the
 * session was not used for SESSION_CACHE_IDLE_MS.
 */
@Injectable()
export class ErasedMemory implements OnModuleInit, BeforeApplicationShutdown {
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly live: LiveBus,
    private readonly sessions: Sessions,
    private readonly compute: ComputePool,
    private readonly sealing: Sealing,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_CACHE_IDLE_MS'>,
  ) {}

  onModuleInit(): void {
    this.#unsubscribe = this.live.subscribe(EVERY_SESSION, ({ sessionId: channel }) => {
      const erased = erasedSession(channel);
      if (erased) this.#forget(erased.tenantId, erased.sessionId);
    });
    this.#timer = setInterval(() => this.sessions.evictIdle(), this.settings.SESSION_CACHE_IDLE_MS / CHECKS_PER_IDLE_TIME);
    this.#timer.unref();
  }

  beforeApplicationShutdown(): void {
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
  }

  #forget(tenantId: string, sessionId: string): void {
    this.sessions.forget(tenantId, sessionId);
    this.compute.forget(tenantId, sessionId);
    this.sealing.drop(sessionId);
  }
}
