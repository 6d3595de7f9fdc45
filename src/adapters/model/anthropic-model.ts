import Anthropic from '@anthropic-ai/sdk';
import { Model, type ModelDelta, type ModelRequest } from '../../core/ports.js';
import { aborted, modelError, silent } from './failure.js';
import { AnswerStream, StreamFault, type StreamEvent } from './stream.js';
import type { ModelAnswer } from '../../core/models/model-answer.js';

export interface AnthropicSettings {
  /** Null: none is sent. Only sensible with a `baseUrl` that asks for none. */
  readonly apiKey: string | null;
  /** Null: the API's own address. */
  readonly baseUrl: string | null;
  /** The longest silence, in milliseconds: until the answer begins, and between two of its events. */
  readonly timeoutMs: number;
}

/** How long a finished answer's connection may take to close before it is dropped; a closed one can be used again. */
const CLOSING_MS = 1_000;

/** The model API, through its official client. The turn decides about further attempts, so the client makes one. */
export class AnthropicModel extends Model {
  override readonly provider = 'anthropic';
  private readonly client: Anthropic;
  private readonly timeoutMs: number;

  constructor(settings: AnthropicSettings) {
    super();
    this.timeoutMs = settings.timeoutMs;
    this.client = new Anthropic({
      // Without any key the client would look for one in the home directory. It is given a placeholder, and told not to send it.
      apiKey: settings.apiKey ?? 'none',
      defaultHeaders: settings.apiKey === null ? { Authorization: null } : {},
      baseURL: settings.baseUrl ?? 'https://api.anthropic.com',
      maxRetries: 0,
      timeout: settings.timeoutMs,
      logLevel: 'off', // its log lines may carry keys and content
    });
  }

  async answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    const stream = new AnswerStream(onDelta);
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), this.timeoutMs);
    let answered = false;
    let providerRequestId: string | null = null;
    const remains = () => ({ answered, providerRequestId, partial: stream.partial() });
    try {
      const { data: events, request_id: requestId } = await this.send(request.body, AbortSignal.any([signal, silence.signal]));
      answered = true;
      providerRequestId = requestId ?? null;
      for await (const event of events) {
        timer.refresh();
        stream.take(event);
        if (!stream.complete) continue;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), CLOSING_MS);
      }
      if (!stream.complete) throw new StreamFault('stream_cut', `The model's answer broke off before its end.`);
    } catch (error) {
      if (!stream.complete) {
        if (signal.aborted) throw aborted(remains());
        if (silence.signal.aborted) throw silent(this.timeoutMs, remains());
        throw modelError(error, remains());
      }
      // What goes wrong after the end of the answer takes nothing from it.
    } finally {
      clearTimeout(timer);
    }
    return { ...stream.answer(), providerRequestId };
  }

  /** A body that is a string goes out as it is. The client's `messages.create` takes an object and would serialise it anew. */
  private send(body: string, signal: AbortSignal) {
    return this.client
      .post<AsyncIterable<StreamEvent>>('/v1/messages', { body, headers: { 'content-type': 'application/json' }, stream: true, signal })
      .withResponse();
  }
}
