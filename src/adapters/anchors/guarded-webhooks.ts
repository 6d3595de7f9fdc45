import { Webhooks } from '../../core/ports.js';
import { GuardedFetch } from '../../ssrf-guard/guarded-fetch.js';

/** An answer is read no further. */
const MAX_ANSWER_BYTES = 64 * 1024;

export class GuardedWebhooks extends Webhooks {
  readonly #guarded: GuardedFetch;

  constructor(private readonly options: { readonly timeoutMs: number; readonly allowPrivate: boolean }) {
    super();
    this.#guarded = new GuardedFetch({ allowPrivate: options.allowPrivate, maxBytes: MAX_ANSWER_BYTES });
  }

  override async post(url: string, body: object): Promise<void> {
    const answer = await this.#guarded.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(this.options.timeoutMs),
    });
    await answer.arrayBuffer(); // frees the connection
    if (!answer.ok) throw new Error(`the receiver answered with status ${answer.status}`);
  }

  close(): void {
    this.#guarded.close();
  }
}
