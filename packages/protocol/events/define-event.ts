import type { Rules } from '../message/skeleton-rule.js';

/**
 * Which events an erasure of one message takes content from: `message`, `prompt`: those that hold it; `turn`: of its turn; `call`: about its calls; `compaction`: made for it;
 * `answer`: about its answer; `import`: of an imported message; `later`: everything since, which may quote it. Null: none, as it holds nothing of a message.
 */
export type Quotes = 'message' | 'prompt' | 'turn' | 'call' | 'compaction' | 'answer' | 'import' | 'later' | null;

/** What is not the same after an event: what the session list shows besides the version, the messages of the conversation, the state of the session, its turn and its queue. */
export type Change = 'list' | 'messages' | 'state';

/** Everything that is said about a type of event, in one place. */
export interface EventDefinition {
  /** What an erasure leaves of the data. Null: nothing of the event is content, or it is never erased. */
  readonly skeleton: Rules | null;
  readonly quotes: Quotes;
  readonly changes: readonly Change[];
  /** Convert the data of older schema versions, one pure step per version: the first from 1 to 2. The current version is one more than there are steps; absent: 1. */
  readonly upcasts?: readonly ((data: unknown) => unknown)[];
}

/** The type of the data is known to the compiler only. */
export interface DefinedEvent<Data> extends EventDefinition {
  readonly data?: Data;
}

/** Defines a type of event with data of the shape `Data`. */
export const event = <Data>(definition: EventDefinition): DefinedEvent<Data> => definition;
