import { type Client, paginate, ProblemError } from '@verbatim/client';
import { type Batch, batchesOf, bodyOf, digestOf, nameOf } from './requests.js';
import type { FoldSessionSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from './types.js';

export interface SessionStoreOptions {
  /** A client of the server, with a token of the user whose sessions the files are. */
  readonly client: Client;
  /** `foldSessionSummary` of the Agent SDK. Without it there are no summaries, and the SDK reads each session that it lists. */
  readonly foldSessionSummary?: FoldSessionSummary;
  /** Bytes of the lines of a request; default 4 MiB. A longer line is a request of its own. */
  readonly batchBytes?: number;
}

interface KnownSummary {
  /** 0: there is none. */
  readonly number: number;
  readonly data: Record<string, unknown> | null;
}

/** A request whose answer has not come. Sent again it is the same request, which the server executes once. */
interface OpenRequest {
  readonly body: string;
  readonly idempotencyKey: string;
  readonly folded: Record<string, unknown> | null;
}

/** Requests without an answer, and summaries, that are remembered. */
const REMEMBERED = 500;

/** Attempts to replace a summary that other processes replace, too: one of them succeeds each time, so all do in the end. */
const ATTEMPTS = 40;

/** The longest pause before another attempt, in milliseconds. Pauses are random, so that no process is always the slower one. */
const LONGEST_PAUSE = 1_000;

/** The `SessionStore` of the Agent SDK. Each file is a session of the server. */
export class VerbatimSessionStore {
  /** Of the main files of a project, as the SDK has made them. Absent without `foldSessionSummary`. */
  declare readonly listSessionSummaries?: (projectKey: string) => Promise<SessionSummaryEntry[]>;
  readonly #client: Client;
  readonly #fold: FoldSessionSummary | undefined;
  readonly #batchBytes: number;
  /** The last append of each file. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #open = new Map<string, OpenRequest>();
  readonly #summaries = new Map<string, KnownSummary>();

  constructor({ client, foldSessionSummary, batchBytes = 4 * 1024 * 1024 }: SessionStoreOptions) {
    this.#client = client;
    this.#fold = foldSessionSummary;
    this.#batchBytes = batchBytes;
    if (foldSessionSummary) this.listSessionSummaries = (projectKey) => this.#listSummaries(projectKey);
  }

  /** Resolves once the entries are in the log of the server. Appends to one file are sent in the order of the calls. After an error the same call may be repeated. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const name = nameOf(key);
    const batches = batchesOf(entries, this.#batchBytes);
    const before = this.#tails.get(name) ?? Promise.resolve();
    const done = before.then(async () => {
      for (const batch of batches) await this.#append(key, batch);
    });
    const tail = done.catch(() => {});
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return done;
  }

  /** The entries of a file in the order in which they were appended; null when it was never written, or was erased. */
  async load({ projectKey, sessionId, subpath }: SessionKey): Promise<SessionStoreEntry[] | null> {
    const file = { projectKey, sessionId, ...(subpath === undefined ? {} : { subpath }) };
    const entries: SessionStoreEntry[] = [];
    for (let after = 0; ;) {
      const page = await this.#client.listSessionFileLines({ ...file, after }).catch((error: unknown) => {
        if (error instanceof ProblemError && error.code === 'not_found') return null;
        throw error;
      });
      if (page === null) return null;
      for (const line of page.data) entries.push(JSON.parse(line) as SessionStoreEntry);
      if (page.next === null) return entries;
      after = page.next;
    }
  }

  /** The sessions of a project that are not archived, newest change first. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const found = [];
    for await (const { sessionId, mtime } of paginate(this.#client.listSessionFiles, { projectKey })) found.push({ sessionId, mtime });
    return found;
  }

  /** Erases the content of a file, and with the main file those of its subagents. It cannot be undone. An unknown file is no error. */
  async delete(key: SessionKey): Promise<void> {
    const { projectKey, sessionId, subpath } = key;
    await this.#tails.get(nameOf(key));
    for await (const file of paginate(this.#client.listSessionFiles, { projectKey, sessionId })) {
      if (subpath !== undefined && file.subpath !== subpath) continue;
      await this.#client.eraseSession({ id: file.id });
      this.#summaries.delete(nameOf({ projectKey, sessionId, ...(file.subpath === null ? {} : { subpath: file.subpath }) }));
    }
  }

  /** The subpaths of the files of a session's subagents. */
  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const found: string[] = [];
    for await (const { subpath } of paginate(this.#client.listSessionFiles, { projectKey, sessionId })) if (subpath !== null) found.push(subpath);
    return found;
  }

  async #append(key: SessionKey, batch: Batch): Promise<void> {
    const name = nameOf(key);
    const id = await digestOf(name, batch);
    for (let attempt = 1; ; attempt += 1) {
      const open = this.#open.get(id) ?? (await this.#request(key, batch));
      remember(this.#open, id, open);
      try {
        const { summary, appended } = await this.#client.appendSessionFile({ body: open.body }, { idempotencyKey: open.idempotencyKey });
        this.#open.delete(id);
        const isNew = appended > 0 && summary > (this.#summaries.get(name)?.number ?? 0);
        if (open.folded !== null && isNew) remember(this.#summaries, name, { number: summary, data: open.folded });
        else if (summary !== this.#summaries.get(name)?.number) this.#summaries.delete(name);
        return;
      } catch (error) {
        if (!(error instanceof ProblemError) || error.code !== 'summary_outdated' || attempt === ATTEMPTS) throw error;
        this.#open.delete(id);
        this.#summaries.delete(name);
        const longest = Math.min(5 * 2 ** attempt, LONGEST_PAUSE);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
      }
    }
  }

  async #request(key: SessionKey, batch: Batch): Promise<OpenRequest> {
    const idempotencyKey = crypto.randomUUID();
    if (!this.#fold || key.subpath !== undefined) return { body: bodyOf(key, batch, null), idempotencyKey, folded: null };
    const { number, data } = await this.#summary(key);
    const before = data === null ? undefined : { sessionId: key.sessionId, mtime: 0, data };
    const folded = this.#fold(before, key, [...batch.entries]).data;
    return { body: bodyOf(key, batch, { data: folded, after: number }), idempotencyKey, folded };
  }

  async #summary(key: SessionKey): Promise<KnownSummary> {
    const known = this.#summaries.get(nameOf(key));
    if (known) return known;
    const { projectKey, sessionId } = key;
    let found: KnownSummary = { number: 0, data: null };
    for await (const file of paginate(this.#client.listSessionFiles, { projectKey, sessionId, summaries: true })) {
      if (file.subpath === null) found = { number: file.summaryNumber ?? 0, data: (file.summary ?? null) as Record<string, unknown> | null };
    }
    remember(this.#summaries, nameOf(key), found);
    return found;
  }

  async #listSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const found: SessionSummaryEntry[] = [];
    for await (const { sessionId, mtime, summary } of paginate(this.#client.listSessionFiles, { projectKey, summaries: true })) {
      if (summary !== null && summary !== undefined) found.push({ sessionId, mtime, data: summary as Record<string, unknown> });
    }
    return found;
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
}
