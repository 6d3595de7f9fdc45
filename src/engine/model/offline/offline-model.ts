import { setImmediate, setTimeout } from 'node:timers/promises';
import { Model, type ModelDelta, type ModelRequest } from '../../../ports/index.js';
import { isRetryable } from '../error-types.js';
import { AnswerStream } from '../stream.js';
import { compose } from './compose.js';
import { ModelError, type ModelAnswer } from '../../../../packages/normalizer/models/model-answer.js';

/** Number of events after which the event loop gets control. */
const EVENTS_PER_TICK = 250;

/** A model without a network: deterministic, controlled by directives in the prompt, with the request validation of the model API. */
export class OfflineModel extends Model {
  override readonly provider = 'offline';

  /** `windowTokens`: upper limit of the context window; null: the model's own. */
  constructor(private readonly windowTokens: number | null = null) {
    super();
  }

  async answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    await setImmediate(); // as far from the caller's work as a network would be: a large body takes milliseconds to check
    const script = compose(Buffer.from(request.body).toString(), request.ordinal, request.requestId, this.windowTokens, { betas: request.betas });
    if (script.kind === 'error') {
      const { status, type, message, retryAfterSeconds, requestId } = script;
      throw new ModelError(type, message, status, isRetryable(status), retryAfterSeconds === null ? null : retryAfterSeconds * 1000, requestId);
    }
    const { events, delayMs, requestId } = script;
    const stream = new AnswerStream(onDelta);
    for (const [index, event] of events.entries()) {
      if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.', null, false, null, requestId, stream.partial());
      stream.take(event);
      if (delayMs > 0 && event.type === 'content_block_delta') await setTimeout(delayMs, undefined, { signal }).catch(() => {});
      else if (index % EVENTS_PER_TICK === EVENTS_PER_TICK - 1) await setImmediate();
    }
    return { ...stream.answer(), providerRequestId: requestId };
  }
}
