import Anthropic from '@anthropic-ai/sdk';
import { SENT_API_VERSION } from '../../../packages/normalizer/api-rules/index.js';
import { Model, type ModelDelta, type ModelRequest } from '../../ports/index.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { aborted, modelError, idleTimeout } from './failure.js';
import { AnswerStream, StreamFault, type StreamEvent } from './stream.js';
import { type ModelAnswer, ModelError } from '../../../packages/normalizer/models/model-answer.js';

export interface AnthropicSettings {
  /** Null: no key is sent, for a `baseUrl` that does not require one. */
  readonly apiKey: string | null;
  /** Null: https://api.anthropic.com. */
  readonly baseUrl: string | null;
  /** Value of the `anthropic-beta` header, separated by commas; empty or absent: none. */
  readonly betas?: string;
  /** Maximum time without data in milliseconds: before the response starts, and between two events. */
  readonly timeoutMs: number;
  /** The key of a tenant, instead of `apiKey`; null: it has none. */
  readonly keyOf?: (tenantId: string) => Promise<string | null>;
}

/** Milliseconds to wait for the server to close a completed stream, so that the connection can be reused. */
const CLOSING_MS = 1_000;

/** The model API, through its official client. Retries are disabled in the client: the turn decides about them. */
export class AnthropicModel extends Model {
  override readonly provider = 'anthropic';
  private readonly client: Anthropic;
  private readonly timeoutMs: number;
  private readonly keyOf: (tenantId: string) => Promise<string | null>;
  override readonly betas: readonly string[];

  constructor(settings: AnthropicSettings) {
    super();
    this.betas = (settings.betas ?? '').split(',').filter((name) => name !== '');
    this.timeoutMs = settings.timeoutMs;
    this.keyOf = settings.keyOf ?? (() => Promise.resolve(null));
    this.client = new Anthropic({
      // Without a key the client would search the home directory for one, hence a placeholder that `defaultHeaders` prevents from being sent.
      apiKey: settings.apiKey ?? 'none',
      defaultHeaders: settings.apiKey === null ? { Authorization: null } : {},
      baseURL: settings.baseUrl ?? 'https://api.anthropic.com',
      maxRetries: 0,
      timeout: settings.timeoutMs,
      logLevel: 'off', // log lines may contain keys and content
    });
  }

  async answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer> {
    const stream = new AnswerStream(onDelta);
    const idle = new AbortController();
    let timer = setTimeout(() => idle.abort(), this.timeoutMs);
    let answered = false;
    let providerRequestId: string | null = null;
    const received = () => ({ answered, providerRequestId, partial: stream.partial() });
    try {
      const key = await this.keyOf(request.tenantId).catch(keyUnavailable);
      const { data: events, request_id: requestId } = await this.send(request, key, AbortSignal.any([signal, idle.signal]));
      answered = true;
      providerRequestId = requestId ?? null;
      for await (const event of events) {
        timer.refresh();
        stream.take(event);
        if (!stream.complete) continue;
        clearTimeout(timer);
        timer = setTimeout(() => idle.abort(), CLOSING_MS);
      }
      if (!stream.complete) throw new StreamFault('stream_cut', 'The model API closed the stream before message_stop.');
    } catch (error) {
      if (!stream.complete) {
        if (error instanceof ModelError) throw error;
        if (signal.aborted) throw aborted(received());
        if (idle.signal.aborted) throw idleTimeout(this.timeoutMs, received());
        throw modelError(error, received());
      }
      // An error after message_stop does not affect the complete response.
    } finally {
      clearTimeout(timer);
    }
    return { ...stream.answer(), providerRequestId };
  }

  /**
   * Sends the body byte for byte, with the version of the API that it was made for. The client's `messages.create` takes an object and would serialize it again.
   */
  private send({ body, betas }: ModelRequest, key: string | null, signal: AbortSignal) {
    const version = { 'content-type': 'application/json', 'anthropic-version': SENT_API_VERSION };
    // In place of the one that the client sends, also where its environment has one.
    const own = key === null ? {} : { authorization: `Bearer ${key}`, 'x-api-key': null };
    const headers = { ...version, ...own, ...(betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}) };
    return this.client.post<AsyncIterable<StreamEvent>>('/v1/messages', { body, headers, stream: true, signal }).withResponse();
  }
}

/** Keys outside the database may be out of reach for a while. */
function keyUnavailable(error: unknown): never {
  const text = error instanceof DomainError ? error.message : 'The key of the tenant for the model API could not be read.';
  throw new ModelError('key_unavailable', text, null, true, null, null, null);
}
