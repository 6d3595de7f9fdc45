import { setImmediate, setTimeout } from 'node:timers/promises';
import { Model, type ModelDelta, type ModelRequest } from '../../../core/ports.js';
import { isRetryable } from '../error-types.js';
import { AnswerStream } from '../stream.js';
import { compose } from './compose.js';
import { ModelError, type ModelAnswer } from '../../../core/models/model-answer.js';

/** After so many events the rest of the process gets a turn. */
const EVENTS_AT_A_TIME = 250;

/** Answers without any network: deterministic, told by the prompt what to do, and as strict about requests as the model API. */
export class OfflineModel extends Model {
  override readonly provider = 'offline';

  /** `windowTokens`: to take for the context window of models whose own is larger; null = their own. */
  constructor(private readonly windowTokens: number | null = null) {
    super();
  }

  async answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    const script = compose(request.body, request.ordinal, request.requestId, this.windowTokens);
    if (script.kind === 'refusal') {
      const { status, type, message, retryAfterSeconds, requestId } = script;
      throw new ModelError(type, message, status, isRetryable(status), retryAfterSeconds === null ? null : retryAfterSeconds * 1000, requestId);
    }
    const { events, delayMs, requestId } = script;
    const stream = new AnswerStream(onDelta);
    for (const [index, event] of events.entries()) {
      if (signal.aborted) throw new ModelError('aborted', 'The request was stopped.', null, false, null, requestId, stream.partial());
      stream.take(event);
      if (delayMs > 0 && event.type === 'content_block_delta') await setTimeout(delayMs, undefined, { signal }).catch(() => {});
      else if (index % EVENTS_AT_A_TIME === EVENTS_AT_A_TIME - 1) await setImmediate();
    }
    return { ...stream.answer(), providerRequestId: requestId };
  }
}
