import {
  type Client,
  Conversation,
  type Draft,
  type Present,
  ProblemError,
  type Queue,
  type Session,
  type ToolCall,
  type TranscriptMessage,
  type Turn,
} from '@verbatim/client';
import { notify } from '../../app/notifications.ts';

/** What a conversation shows, at one moment. */
export interface Snapshot {
  readonly session: Session | null;
  readonly messages: readonly TranscriptMessage[];
  readonly draft: Draft | null;
  readonly turn: Turn | null;
  readonly queue: Queue['data'];
  readonly approvals: readonly ToolCall[];
  /** Who announces that they read or write in it. */
  readonly present: readonly Present[];
  readonly isLive: boolean;
  /** How often someone got emergency access since the page shows it. */
  readonly emergencies: number;
  /** How often a role in the session was given or taken since. */
  readonly grants: number;
  /** How often it was rewound or restored since. */
  readonly moves: number;
  /** Why the server does not show it; null: it does. */
  readonly error: unknown;
}

const EMPTY: Snapshot = {
  session: null,
  messages: [],
  draft: null,
  turn: null,
  queue: [],
  approvals: [],
  present: [],
  isLive: false,
  emergencies: 0,
  grants: 0,
  moves: 0,
  error: null,
};
const RETRY_MS = 1_000;

/** Follows a conversation for React: at most one snapshot per painted frame, however fast an answer streams. */
export class ConversationStore {
  readonly conversation: Conversation;
  #snapshot: Snapshot = EMPTY;
  #frame = 0;
  #error: unknown = null;
  #emergencies = 0;
  #grants = 0;
  #moves = 0;
  readonly #listeners = new Set<() => void>();
  #runs = 0;

  constructor(client: Client, id: string) {
    this.conversation = new Conversation(
      client,
      id,
      () => this.#changed(),
      ({ type }) => {
        if (type === 'glass.broken') this.#emergencies += 1;
        if (type === 'session.granted' || type === 'session.grant_revoked') this.#grants += 1;
        notify(type, id, this.conversation.session?.title);
        if (type === 'session.rewound' || type === 'session.restored') this.#moves += 1;
      },
    );
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  readonly snapshot = (): Snapshot => this.#snapshot;

  /** Follows until the returned function is called. A server that cannot be reached is retried; a rejection ends it. */
  readonly start = (): (() => void) => {
    const run = (this.#runs += 1);
    this.#error = null;
    const isCurrent = (): boolean => run === this.#runs;
    void (async () => {
      while (isCurrent()) {
        try {
          await this.conversation.follow();
          return;
        } catch (error) {
          if (!isCurrent()) return;
          if (error instanceof ProblemError && error.status < 500 && error.status !== 429) {
            this.#error = error;
            this.#changed();
            return;
          }
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    })();
    return () => {
      this.#runs += 1;
      this.conversation.close();
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    };
  };

  #changed(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const { session, messages, draft, turn, queue, approvals, present, isLive } = this.conversation;
      this.#snapshot = {
        session,
        messages,
        draft,
        turn,
        queue,
        approvals,
        present,
        isLive,
        emergencies: this.#emergencies,
        grants: this.#grants,
        moves: this.#moves,
        error: this.#error,
      };
      this.#listeners.forEach((listener) => listener());
    });
  }
}
