import type { Event, Session } from './api.js';
import { leaves } from './changes-of-events.js';
import type { Client } from './client.js';
import { shownMessage } from './shown.js';
import { type State, stateAfter } from './state.js';
import { Transcript } from './transcript.js';

/** The messages, and the state of the session. */
interface Parts {
  messages: boolean;
  state: boolean;
}

/** An event of the log, with the head of the session before it. */
interface Received {
  readonly event: Event;
  readonly head: string | null;
}

/**
 * The messages and the state of a session, kept up to date by its events. What an event says is applied; only what it does not say is read from the server, so that
 * many readers cost the server little more than their streams.
 */
export class SessionReplica {
  readonly transcript: Transcript;
  /** What has to be read from the server, because an event does not say what is true after it. */
  readonly #stale: Parts = { messages: false, state: false };
  /** What is being read. */
  #reading: Parts = { messages: false, state: false };
  /** Events that were received while something was read: what was read may not include them. */
  #late: Received[] = [];
  /** The newest state that is known. It is shown when the messages that belong to it are there. */
  #state: State | null = null;
  /** The newest message after the last event received. */
  #head: string | null = null;
  /** Who submitted the prompts of which the events were received. */
  readonly #authors = new Map<string, string>();

  constructor(
    private readonly client: Client,
    private readonly id: string,
    /** Called after each change that is not that of an event. */
    private readonly changed: () => void,
  ) {
    this.transcript = new Transcript(client, id);
  }

  /** Begins with the state of the session before the first event. */
  begin(session: Session): void {
    this.#head = session.head;
    this.#state = isQuiet(session) ? { session, turn: null, queue: [] } : null;
    this.#reading = { messages: false, state: false };
    this.transcript.outdate(); // what happened to it since it was followed before is not among the events that come
    Object.assign(this.#stale, { messages: true, state: this.#state === null });
  }

  /** Something has to be read: `upToDate`. */
  get isStale(): boolean {
    return this.#stale.messages || this.#stale.state;
  }

  /** Whether the transcript includes the events that were received. */
  get hasMessages(): boolean {
    return !this.#stale.messages && !this.#reading.messages;
  }

  /** The state, when it and the messages that belong to it are there. */
  get state(): State | null {
    return this.hasMessages && !this.#stale.state && !this.#reading.state ? this.#state : null;
  }

  /** The state has changed in a way that no event of the log says. */
  outdateState(): void {
    this.#stale.state = true;
  }

  /** Applies the next event of the log. */
  apply(event: Event): void {
    const received = { event, head: this.#head };
    if (event.type === 'prompt.submitted') this.#authors.set(event.data.submission.promptId, event.actor.id);
    if (event.type === 'message.appended') this.#head = event.data.message.uuid;
    if (event.type === 'session.rewound' || event.type === 'session.restored') this.#head = event.data.to;
    if (this.#reading.messages || this.#reading.state) this.#late.push(received);
    if (!this.#reading.messages) this.#followMessages(received);
    else if (event.type !== 'message.appended') this.#outdateBy(event);
    if (!this.#reading.state) this.#followState(event);
  }

  /** Reads what is stale, and the messages before those that are known. */
  async upToDate(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.isStale) await this.#refresh(signal);
      else if (!this.transcript.isComplete) await this.transcript.readEarlier(signal);
      else return;
      this.changed();
    }
  }

  /** Reads what is stale, and applies what was received in the meantime. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const reading = (this.#reading = { ...this.#stale });
    Object.assign(this.#stale, { messages: false, state: false });
    this.#late = [];
    const [isRead, state] = await Promise.all([
      reading.messages && this.transcript.read(signal), //
      reading.state ? this.#readState(signal) : null,
    ]);
    if (signal.aborted) return;
    this.#reading = { messages: false, state: false };
    const late = this.#late;
    this.#late = [];
    if (isRead) for (const received of late.filter(isInOrder)) this.#followMessages(received);
    else if (reading.messages) this.#stale.messages = true;
    if (state !== null) {
      this.#state = state;
      for (const { event } of late) this.#followState(event);
      // A session is not shown as idle before the answer that its turn ended with.
      if (state.session.version > this.transcript.version) this.#stale.messages = true;
    }
  }

  /** Adds the message of the event where the transcript is that of the event before it; otherwise it is read. */
  #followMessages({ event, head }: Received): void {
    if (event.type !== 'message.appended') return this.#outdateBy(event);
    if (this.#stale.messages || event.seq <= this.transcript.version) return;
    const isNext = event.seq === this.transcript.version + 1;
    const continues = event.data.message.parentUuid === head;
    if (isNext && !continues) this.transcript.outdate();
    const message = isNext && continues ? shownMessage(event, (promptId) => this.#authors.get(promptId)) : undefined;
    if (message === undefined) this.#stale.messages = true;
    else this.transcript.add(message);
  }

  /** Takes out what is not true any more after an event other than a new message. */
  #outdateBy(event: Event): void {
    if (leaves(event.type, 'messages')) {
      if (!this.#stale.messages && !this.#reading.messages && event.seq === this.transcript.version + 1) this.transcript.add(null);
      return;
    }
    this.#stale.messages = true;
    if (event.type === 'session.rewound') this.transcript.cut(event.data.removed);
    else if (event.type === 'session.restored') this.transcript.clear();
    else if (event.type === 'content.erased') this.transcript.outdate();
  }

  #followState(event: Event): void {
    if (this.#stale.state) return;
    const state = this.#state && stateAfter(this.#state, event);
    if (state) this.#state = state;
    else this.#stale.state = true;
  }

  async #readState(signal: AbortSignal): Promise<State> {
    const session = await this.client.getSession({ id: this.id }, { signal });
    if (isQuiet(session)) return { session, turn: null, queue: [] };
    const { turnId, queueLength } = session;
    const turn = turnId === null ? null : await this.client.getTurn({ id: this.id, turnId }, { signal });
    const queue = queueLength === 0 ? [] : (await this.client.listQueue({ id: this.id }, { signal })).data;
    return { session, turn, queue };
  }
}

/** Does not change messages before it. */
const isInOrder = ({ event: { type } }: Received): boolean => type === 'message.appended' || leaves(type, 'messages');

/** Nothing runs or waits. */
const isQuiet = ({ turnId, queueLength }: Session): boolean => turnId === null && queueLength === 0;
