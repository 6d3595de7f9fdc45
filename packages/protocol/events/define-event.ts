import { type Members, type ObjectOf } from '../shape/shape.js';
import { isOpen, object, rulesOf } from '../shape/shapes.js';
import type { Shape } from '../shape/shape.js';
import type { Rules } from '../shape/skeleton-rule.js';

/**
 * Which events an erasure of one message takes content from: `message`, `prompt`: those that hold it; `turn`: of its turn; `call`: about its calls; `step`: found after one of its steps; `compaction`: made for it;
 * `answer`: about its answer; `import`: of an imported message; `later`: everything since, which may quote it. Null: none, as it holds nothing of a message.
 */
export type Quotes = 'message' | 'prompt' | 'turn' | 'call' | 'step' | 'compaction' | 'answer' | 'import' | 'later' | null;

/** What is not the same after an event: what the session list shows besides the version, the messages of the conversation, the state of the session, its turn and its queue. */
export type Change = 'list' | 'messages' | 'state';

interface Written<M extends Members> {
  /** What has happened, for the readers of the API. */
  readonly about: string;
  readonly data: M;
  /** It reports an erasure or a hold, or has no text but the server's: none of it is content. */
  readonly neverErased?: true;
  readonly quotes: Quotes;
  readonly changes: readonly Change[];
  /** Convert the data of older schema versions, one pure step per version: the first from 1 to 2. The current version is one more than there are steps; absent: 1. */
  readonly upcasts?: readonly ((data: unknown) => unknown)[];
}

/** Everything that is said about a type of event, in one place. */
export interface EventDefinition extends Pick<Written<Members>, 'quotes' | 'changes' | 'upcasts'> {
  readonly shape: Shape;
  /** What an erasure leaves of the data. Null: nothing of the event is content. */
  readonly skeleton: Rules | null;
}

/** The type of the data is known to the compiler only. */
export interface DefinedEvent<Data> extends EventDefinition {
  readonly shape: Shape<Data>;
}

/** Defines a type of event: the type of its data, its schema and its skeleton are made from the shapes of its members. */
export function event<M extends Members>({ about, data, neverErased, ...rest }: Written<M>): DefinedEvent<ObjectOf<M>> {
  return { ...rest, shape: object(data).about(about), skeleton: neverErased || !isOpen(data) ? null : rulesOf(data) };
}
