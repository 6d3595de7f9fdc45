import type { SentRequest } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../../session/state/state.js';
import { type BuiltPayload, type PayloadInput, buildPayload } from '../../../packages/normalizer/build-payload.js';
import { payloadInput } from '../../session/payload/payload-input.js';
import type { InlineBlobs, BytesOf } from './inline-blobs.js';
import { providerIn } from '../../../packages/normalizer/models/profiles.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';

/** Rebuilds the payloads of past requests. */
export class PayloadRebuilder {
  constructor(
    private readonly session: BytesOf,
    private readonly bytes: InlineBlobs,
    /** A private copy of the session at a version. */
    readonly loadAt: (seq: number) => Promise<SessionState>,
    private readonly sha256: (text: string) => string,
  ) {}

  /** The input of a past request: the session as of that version, and the settings recorded with the request. Blobs are not inlined. */
  inputOf(then: SessionState, { requestId, model, gates, profile, betas = [], maxTokens, compaction }: SentRequest): PayloadInput {
    return payloadInput(then, {
      model,
      gates: { ...DEFAULT_NORMALIZE_GATES, ...gates },
      betas,
      provider: providerIn(profile),
      maxTokens,
      ...(compaction ? { summary: { requestId, ...compaction } } : {}),
    });
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
