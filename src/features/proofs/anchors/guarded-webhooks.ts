import { Webhooks } from '../../../ports/index.js';
import { GuardedFetch } from '../../../platform/ssrf-guard/guarded-fetch.js';

/** An answer is read no further. */
const MAX_ANSWER_BYTES = 64 * 1024;

export class GuardedWebhooks extends Webhooks {
  readonly #guarded: GuardedFetch;

  constructor(private readonly options: { readonly timeoutMs: number; readonly allowPrivate: boolean }) {
    super();
    this.#guarded = new GuardedFetch({ allowPrivate: options.allowPrivate, maxBytes: MAX_ANSWER_BYTES });
  }

  override async post(url: string, body: object): Promise<void> {
    const { status } = await this.send(url, 'application/json', JSON.stringify(body));
    if (status < 200 || status > 299) throw new Error(`the receiver answered with status ${status}`);
  }

  override async send(url: string, mediaType: string, body: string | Uint8Array): Promise<{ readonly status: number; readonly body: Uint8Array }> {
    const answer = await this.#guarded.fetch(url, {
      method: 'POST',
      headers: { 'content-type': mediaType },
      body,
      signal: AbortSignal.timeout(this.options.timeoutMs),
    });
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
  }

  close(): void {
    this.#guarded.close();
  }
}
