import pg from 'pg';

/** The receiving connection: one statement after the other, because pg warns of a queue. What is wanted meanwhile goes together in the next one. */
export class PostgresListener {
  readonly #listens = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  /** `wanted`: channels, which change. */
  constructor(
    readonly client: pg.Client,
    private readonly wanted: ReadonlySet<string>,
  ) {}

  /** Resolves when the connection listens to what is wanted now. */
  update(): Promise<void> {
    return this.#next(async () => {
      const more = [...this.wanted].filter((channel) => !this.#listens.has(channel));
      const less = [...this.#listens].filter((channel) => !this.wanted.has(channel));
      if (more.length + less.length === 0) return;
      const name = pg.escapeIdentifier;
      await this.client.query([...more.map((channel) => `LISTEN ${name(channel)}`), ...less.map((channel) => `UNLISTEN ${name(channel)}`)].join(';'));
      for (const channel of more) this.#listens.add(channel);
      for (const channel of less) this.#listens.delete(channel);
    });
  }

  ping(): Promise<void> {
    return this.#next(async () => void (await this.client.query('SELECT 1')));
  }

  #next(work: () => Promise<void>): Promise<void> {
    return (this.#last = this.#last.then(work));
  }
}
