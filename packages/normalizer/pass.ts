import type { NormalizeGate, NormalizeGates } from '../protocol/gates.js';
import type { Profile } from './models/profiles.js';
import type { RequestPrefix } from '../protocol/events/events.js';
import type { MessageSerializer } from './message-serializer.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import type { OfferedTool } from './offered-tools.js';
import { mapped } from '../protocol/mapped.js';
import { type Working, type WorkingBlock, type WorkingMessage } from './working-message.js';

/** Settings of one request that every pass may read. */
export interface PassSettings {
  readonly profile: Profile;
  /** The model id in the request. */
  readonly model: string;
  readonly gates: NormalizeGates;
  /** The tools this request offers, by name. */
  readonly tools: ReadonlyMap<string, OfferedTool>;
}

/** Everything a pass may read besides the messages. */
export interface PassContext extends PassSettings {
  /** Named texts sent before the conversation, in this order. */
  readonly userContext: Readonly<Record<string, string>>;
  /** The messages are the end of a conversation of which the beginning is sent, too. Absent: they are all of it. */
  readonly continues?: true;
  /** Absent: the prefixes under which thinking was signed are unknown, and signatures are not checked against them. */
  readonly signatures?: Signatures;
}

/** What is needed to decide whether thinking still follows the prefix under which it was signed. */
export interface Signatures {
  /** The prefix of the request that produced each answer, by the uuid of its message. */
  readonly prefixes: Readonly<Record<string, RequestPrefix>>;
  /** System prompt and tools of this request, as digests. */
  readonly current: Omit<RequestPrefix, 'messages'>;
  readonly serializer: MessageSerializer;
}

export type Action = TraceEntry['action'];

/**
 * One step of the pipeline: a total, deterministic and idempotent function from messages to messages. A message or block that it does not change must be
 * returned as the same object: the tracer compares by identity. When nothing changes, the list itself is returned.
 */
export interface Pass {
  /** The name of its file, which is also its name in the trace. */
  readonly name: string;
  /** The pass is applied only where this gate is on. */
  readonly gate?: NormalizeGate;
  /** Why the pass changes a block: one sentence, or one per action. Public, in the trace. */
  readonly reason: string | Readonly<Partial<Record<Action, string>>>;
  /**
   * Present when blocks are dropped for different reasons: of the messages before the pass, why it drops a block of them. Undefined: for the reason above. Called only for a
   * trace, and only when the pass has dropped a block.
   */
  readonly dropReasons?: (before: Working) => (block: WorkingBlock) => string | undefined;
  readonly apply: (messages: Working, context: PassContext) => Working;
  /** Present when the pass looks at one message at a time: what `apply` does to each of them. */
  readonly transform?: MessageTransform;
}

/** The new version of a message, independent of its neighbours; null removes it. */
export type MessageTransform = (message: WorkingMessage, settings: PassSettings) => WorkingMessage | null;

export function perMessage(transform: MessageTransform): Required<Pick<Pass, 'apply' | 'transform'>> {
  return { apply: (messages, context) => mapped(messages, transform, context), transform };
}

/** A pass threw: a defect of the pass, which fails the turn instead of being retried. */
export class PassFailure extends Error {
  override readonly name = 'PassFailure';

  constructor(
    readonly pass: string,
    cause: unknown,
  ) {
    super(`The normalization pass ${pass} failed, so the request could not be built.`, { cause });
  }
}
