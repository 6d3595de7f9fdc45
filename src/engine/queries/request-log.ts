import { Inject, Injectable } from '@nestjs/common';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { Blobs, Digest, EventStore, Sessions } from '../../ports/index.js';
import type { BytesOf } from './inline-blobs.js';
import { SentRequests } from './sent-requests.js';

/** Past requests of sessions. */
@Injectable()
export class RequestLog {
  constructor(
    @Inject(EventStore) private readonly store: Pick<EventStore, 'load'>,
    private readonly sessions: Sessions,
    private readonly blobs: Blobs,
    private readonly digest: Digest,
  ) {}

  of({ tenantId, sessionId }: BytesOf): SentRequests {
    const eventAt = async (seq: number): Promise<SessionEvent | undefined> => (await this.store.load(tenantId, sessionId, seq - 1, seq))[0];
    return new SentRequests(
      { tenantId, sessionId },
      this.blobs,
      (seq) => this.sessions.loadAt(tenantId, sessionId, seq),
      eventAt,
      (text) => this.digest.sha256(text),
    );
  }
}
