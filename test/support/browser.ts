import type { Answer, Client, UnknownObject } from './client.js';
import { EventReader } from './event-reader.js';

/** What a browser adds to requests: its cookies, and what page they come from. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(readonly client: Client) {}

  /** A page of the server's own origin, unless `site` says otherwise. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    site: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Answer<UnknownObject>> {
    const answer = await this.client.as(null).call(method, path, body, { ...this.headers, ...site });
    this.keep(answer.headers);
    return answer;
  }

  get(path: string): Promise<Answer<UnknownObject>> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer<UnknownObject>> {
    return this.call('POST', path, body);
  }

  stream(sessionId: string): Promise<EventReader> {
    return EventReader.open(`${this.client.baseUrl}/v1/sessions/${sessionId}/events/stream`, { ...this.headers, 'sec-fetch-site': 'same-origin' });
  }

  get headers(): Readonly<Record<string, string>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { 'user-agent': 'a browser', ...(cookie === '' ? {} : { cookie }) };
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0(?:;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
