import type { Event, Queue, Session, StoredSource, StreamedEvent, ToolCall, Turn } from './api.js';
import type { Client } from './client.js';
import { type Composition, compositionOf, NO_COMPOSITION, submissionOf } from './composition.js';
import { type Draft, withDelta } from './draft.js';
import { isStored } from './events.js';
import { fileBlock } from './files.js';
import { SessionReplica } from './session-replica.js';
import { type Present, PresenceList } from './presence.js';
import type { TranscriptMessage } from './transcript.js';

export type { TranscriptMessage, Draft };

export interface SendOptions {
  readonly files?: Iterable<Blob>;
  readonly replaces?: string | undefined;
}

/** Why `follow` ends without an error. */
const CLOSED = new Error('The conversation is closed.');

/**
 * A session as a chat page shows it: its messages, the answer that is being written, and what it waits for. `follow` keeps it up to date; nothing of it is
 * lost when the page is reloaded or the connection breaks.
 */
export class Conversation {
  /** Null until it has been read. */
  session: Session | null = null;
  /** The answer that is streaming; null when there is none. It is followed by its message. */
  draft: Draft | null = null;
  /** The turn that runs or waits; null when there is none. */
  turn: Turn | null = null;
  /** Prompts that wait for the turn to end. */
  queue: Queue['data'] = [];

  /** Whether the events of the server arrive: the drafts of answers that begin from then on are complete. False while a lost connection is replaced. */
  isLive = false;

  readonly #presence = new PresenceList(() => this.changed());
  readonly #known: SessionReplica;
  /** Requests with an answer that is stored or void: deltas of them that still arrive are ignored. */
  readonly #completed = new Set<string>();
  #following = new AbortController();
  readonly #urls = new Map<string, Promise<string>>();

  constructor(
    private readonly client: Client,
    readonly id: string,
    /** Called after each change. */
    private readonly changed: () => void = () => {},
    /** Called with each event, before it is applied. */
    private readonly onEvent: (event: StreamedEvent) => void = () => {},
  ) {
    this.#known = new SessionReplica(client, id, () => {
      this.#show();
      this.changed();
    });
  }

  /** The transcript, oldest first. Of a long one the newest messages are there first; see `isComplete`. */
  get messages(): readonly TranscriptMessage[] {
    return this.#known.transcript.messages;
  }

  /** Whether `messages` begins with the first message. */
  get isComplete(): boolean {
    return this.#known.transcript.isComplete;
  }

  /** Tool calls that wait for a decision of the user: `client.decideToolCall`. */
  get approvals(): readonly ToolCall[] {
    return this.turn?.toolCalls.filter(({ status }) => status === 'awaiting_decision') ?? [];
  }

  /** Who announces that they read or write in it, the user of this client among them. */
  get present(): readonly Present[] {
    return this.#presence.people;
  }

  /** Tells the others that the user reads, or writes. It counts for half a minute: repeat it, or say `left`. */
  async announce(state: 'reading' | 'typing' | 'left'): Promise<void> {
    await this.client.announcePresence({ id: this.id, body: { state } });
  }

  /** A prompt as it was sent, to edit it: by the uuid of its message, or by its id while it waits in the queue. */
  async edit(prompt: string): Promise<Composition> {
    return compositionOf((await this.client.getPrompt({ id: this.id, promptId: prompt })).prompt);
  }

  /**
   * Submits text and files; with `replaces`, the uuid of an earlier prompt, replaces that prompt and everything after it. A text replaces the text of that
   * prompt only: its files, pastes, attachments, mode and options stay. From `edit` comes a composition, of which these can be removed.
   */
  async send(prompt: string | Composition, { files = [], replaces }: SendOptions = {}): Promise<void> {
    const before = typeof prompt !== 'string' ? prompt : { ...(replaces === undefined ? NO_COMPOSITION : await this.edit(replaces)), text: prompt };
    const added = (await Promise.all([...files].map(fileBlock))).map((block) => ({ type: 'file', block }) as const);
    const submission = submissionOf({ ...before, pieces: [...before.pieces, ...added] });
    await this.client.submitPrompt({ id: this.id, body: { ...submission, ...(replaces === undefined ? {} : { replaces }) } });
  }

  /** Regenerates the answer to the newest prompt. The earlier answer stays a branch. */
  async regenerate(): Promise<void> {
    await this.client.regenerateAnswer({ id: this.id });
  }

  /** Interrupts the turn that runs. What has been written of the answer is kept. */
  async stop(): Promise<void> {
    await this.client.interruptTurn({ id: this.id });
  }

  /** Decides one of `approvals`. */
  async decide({ toolUseId }: ToolCall, decision: 'allow' | 'reject' | 'cancel'): Promise<void> {
    await this.client.decideToolCall({ id: this.id, body: { toolUseId, decision } });
  }

  /** An object URL of stored bytes, for `src`: an image element cannot send a token. The same for every call. */
  urlOf({ sha256 }: Pick<StoredSource, 'sha256'>): Promise<string> {
    const known = this.#urls.get(sha256);
    if (known) return known;
    const url = this.client.getBlob({ id: this.id, sha256 }).then(async (response) => URL.createObjectURL(await response.blob()));
    this.#urls.set(sha256, url);
    return url;
  }

  /** Reads the conversation and follows it until `close`. Rejects when the server rejects it, such as with `session_not_found`. */
  async follow(): Promise<void> {
    this.close();
    this.#offline();
    const controller = (this.#following = new AbortController());
    const { signal } = controller;
    const failures: unknown[] = [];
    const onLost = (): void => this.#offline();
    let isReading = false;
    // In the background: an answer that streams is not held up by it.
    const read = async (): Promise<void> => {
      if (isReading) return;
      isReading = true;
      try {
        await this.#known.upToDate(signal);
      } catch (error) {
        failures.push(error);
        controller.abort();
      }
      isReading = false;
      if (this.#known.isStale && !signal.aborted) void read();
    };
    try {
      const session = await this.client.getSession({ id: this.id }, { signal });
      this.#known.begin(session);
      void read();
      for await (const event of this.client.events({ id: this.id, after: session.version, signal, onLost })) {
        if (signal.aborted) break;
        this.onEvent(event);
        this.#apply(event);
        this.changed();
        if (this.#known.isStale) void read();
      }
    } catch (error) {
      failures.push(error);
    }
    controller.abort();
    if (this.#following === controller) this.#offline();
    if (failures.length > 0 && signal.reason !== CLOSED) throw failures[0];
  }

  /** Ends `follow`. */
  close(): void {
    this.#following.abort(CLOSED);
    this.#presence.clear();
  }

  #offline(): void {
    if (!this.isLive) return;
    this.isLive = false;
    this.changed();
  }

  #apply(event: StreamedEvent): void {
    if (isStored(event)) {
      this.#completeBy(event);
      this.#known.apply(event);
      return this.#show();
    }
    switch (event.type) {
      case 'message.delta': {
        const { purpose, requestId } = event.data;
        if (purpose === undefined && !this.#completed.has(requestId)) this.draft = withDelta(this.draft, event.data);
        return;
      }
      case 'presence':
        this.#presence.apply(event.data);
        return;
      case 'synced': // there may be a gap before it
        this.draft = null;
        this.isLive = true;
        return;
      case 'queue.changed':
        this.#known.outdateState();
    }
  }

  #completeBy(event: Event): void {
    switch (event.type) {
      case 'message.appended':
        if (event.data.message.type === 'assistant') this.#complete(event.data.message.requestId);
        return;
      case 'request.failed':
        this.#complete(event.data.requestId);
        return;
      case 'turn.completed':
      case 'turn.interrupted':
      case 'turn.failed':
        this.#complete(this.draft?.requestId);
    }
  }

  /** Shows the state, and ends a draft of which the message is there: unless something is still to be read. */
  #show(): void {
    const { hasMessages, state } = this.#known;
    if (hasMessages && this.draft !== null) {
      const { requestId } = this.draft;
      // The answer can be among the messages before the event that says so arrives: it is not shown twice.
      if (this.messages.some((message) => message.type === 'assistant' && message.requestId === requestId)) this.#complete(requestId);
      if (this.#completed.has(requestId)) this.draft = null;
    }
    if (state !== null) Object.assign(this, state);
  }

  /** The draft of a completed request is shown until its message is there. */
  #complete(requestId: string | undefined): void {
    if (requestId !== undefined) this.#completed.add(requestId);
  }
}
