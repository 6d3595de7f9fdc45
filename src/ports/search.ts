/** Part of a text around what was found. */
export interface Snippet {
  readonly text: string;
  /** What was found, in UTF-16 code units of `text`. */
  readonly highlights: readonly { readonly start: number; readonly length: number }[];
}

export interface SearchHit {
  readonly sessionId: string;
  readonly title: string | null;
  /** Start of the first text of the session, which names it without a title. */
  readonly firstText: string | null;
  readonly archived: boolean;
  readonly userId: string;
  readonly kind: 'title' | 'user' | 'assistant';
  /** Uuid of the message; null for a title. */
  readonly uuid: string | null;
  /** When the text was recorded, RFC 3339. */
  readonly at: string;
  readonly snippet: Snippet;
}

export interface SearchPage {
  readonly data: readonly SearchHit[];
  readonly nextCursor: string | null;
}

/** Full-text search over titles and over what people and the model wrote in the current conversations. */
export abstract class Search {
  /**
   * Newest first. `words`: words that all occur, "quoted phrases", `or`, and `-word` for what must not occur. `userId` null: all users of the tenant. A cursor belongs to
   * one tenant, user and search; any other is rejected with `invalid_input`.
   */
  abstract find(tenantId: string, userId: string | null, words: string, limit: number, cursor: string | null): Promise<SearchPage>;
}
