import type { SentRequest } from '../core/session/events.js';
import type { SessionState } from '../core/session/state.js';
import { type BuiltPayload, type PayloadInput, buildPayload } from '../core/normalize/build-payload.js';
import { payloadInput } from '../core/normalize/payload-input.js';
import type { InlineBlobs, BytesOf } from './inline-blobs.js';
import type { NormalizeGates } from '../core/gates.js';

/** Makes the payloads of a session again, as often as it takes. */
export class PayloadRebuilder {
  constructor(
    private readonly session: BytesOf,
    private readonly bytes: InlineBlobs,
    /** The session at any version, not shared. */
    readonly loadAt: (seq: number) => Promise<SessionState>,
    private readonly sha256: (text: string) => string,
  ) {}

  /** What a past request was made from: the session as it stood then, and the settings recorded with it. Names its bytes. */
  inputOf(then: SessionState, { requestId, model, gates, maxTokens, compaction }: SentRequest): PayloadInput {
    return payloadInput(then, { model, gates: gates as NormalizeGates, maxTokens, ...(compaction ? { summary: { requestId, ...compaction } } : {}) });
  }

  async view(request: SentRequest, state?: SessionState): Promise<BuiltPayload> {
    const then = state ?? (await this.loadAt(request.at));
    return this.withBytes(
      () => this.inputOf(then, request),
      (input) => buildPayload(input, this.sha256),
    );
  }

  /** See InlineBlobs. */
  withBytes<T>(make: () => PayloadInput, use: (input: PayloadInput) => T): Promise<Awaited<T>> {
    return this.bytes.with(this.session, make, use);
  }
}
