import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { type KnownVersion, ReadSessions, type Sessions, type VerifiedPlace } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';

/** Sessions that share their cache with others, and read logs in another way. */
export class SharedSessions extends ReadSessions {
  constructor(
    private readonly shared: Sessions,
    private readonly reads: Pick<Sessions, 'load' | 'loadAt'>,
  ) {
    super();
  }

  override load(tenantId: string, sessionId: string): Promise<SessionState> {
    return this.reads.load(tenantId, sessionId);
  }

  override loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState> {
    return this.reads.loadAt(tenantId, sessionId, seq);
  }

  override known(tenantId: string, sessionId: string): SessionState | null {
    return this.shared.known(tenantId, sessionId);
  }

  override place(tenantId: string, sessionId: string): VerifiedPlace | null {
    return this.shared.place(tenantId, sessionId);
  }

  override advance(tenantId: string, sessionId: string, events: readonly SessionEvent[], headHash: string | null): SessionState | null {
    return this.shared.advance(tenantId, sessionId, events, headHash);
  }

  override forget(tenantId: string, sessionId: string): void {
    this.shared.forget(tenantId, sessionId);
  }

  override evictStale(): Promise<readonly KnownVersion[]> {
    return this.shared.evictStale();
  }

  override onEvicted(listener: (state: SessionState) => void): void {
    this.shared.onEvicted(listener);
  }
}
