export interface StreamedEvent {
  readonly id: string | null;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** A client of an event stream: everything that has arrived, and a way to wait for what has not. */
export class EventReader {
  readonly events: StreamedEvent[] = [];
  comments = 0;
  #waiting: (() => void)[] = [];
  #over = false;
  /** The first event that failed the check; reported to the next caller that waits. */
  #mismatch: unknown;
  /** The connection broke: the server had not come to the end of its answer. */
  cutOff = false;
  /** Resolves when nothing more can come. */
  readonly ended: Promise<void>;

  private constructor(
    private readonly controller: AbortController,
    readonly response: Response,
    private readonly check: (event: StreamedEvent) => void,
    private readonly heard: () => void,
  ) {
    this.ended = this.#read();
  }

  /** `silenceMs`: the stream ends when nothing, not even a heartbeat, has arrived for so long. */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    check: (event: StreamedEvent) => void = () => {},
    silenceMs: number | null = null,
  ): Promise<EventReader> {
    const controller = new AbortController();
    const timer = silenceMs === null ? null : setTimeout(() => controller.abort(new Error(`nothing was heard for ${silenceMs} ms`)), silenceMs).unref();
    const response = await fetch(url, { headers, signal: controller.signal });
    if (response.status !== 200) throw new Error(`the stream answered ${response.status}: ${await response.text()}`);
    return new EventReader(controller, response, check, () => void timer?.refresh());
  }

  /** The first event that fits, once it is there. Rejects when the stream ends without one. */
  async until(fits: (event: StreamedEvent) => boolean): Promise<StreamedEvent> {
    for (let seen = 0; ;) {
      if (this.#mismatch !== undefined) throw this.#mismatch;
      for (; seen < this.events.length; seen += 1) if (fits(this.events[seen]!)) return this.events[seen]!;
      if (this.#over) throw new Error(`the stream ended after ${this.events.map((event) => event.event).join(', ')}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  untilType(type: string): Promise<StreamedEvent> {
    return this.until((event) => event.event === type);
  }

  /** Those that are in the log: with an id. */
  stored(): readonly StreamedEvent[] {
    return this.events.filter((event) => event.id !== null);
  }

  close(): void {
    if (this.#mismatch !== undefined) throw this.#mismatch;
    this.controller.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of this.response.body as unknown as AsyncIterable<Uint8Array>) {
        this.heard();
        rest += decoder.decode(chunk, { stream: true });
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          this.#take(rest.slice(0, end));
          rest = rest.slice(end + 2);
        }
        this.#wake();
      }
    } catch {
      this.cutOff = true;
    }
    this.#over = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #take(frame: string): void {
    const fields = new Map<string, string>();
    for (const line of frame.split('\n')) {
      if (line.startsWith(':')) this.comments += 1;
      const colon = line.indexOf(': ');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    const data = fields.get('data');
    if (data === undefined) return;
    const event = { id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: JSON.parse(data) };
    try {
      this.check(event);
    } catch (error) {
      this.#mismatch ??= error;
    }
    this.events.push(event);
  }
}
