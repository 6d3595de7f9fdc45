export { type SessionStoreOptions, VerbatimSessionStore } from './session-store.js';
export type { FoldSessionSummary, SessionKey, SessionStoreEntry, SessionSummaryEntry } from './types.js';
