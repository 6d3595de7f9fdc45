import type { RequestPrefix } from '../session/events.js';
import type { MessageSerializer } from './message-serializer.js';
import type { TraceEntry } from './payload.js';
import type { Profile } from '../models/profiles.js';
import { mapped, type Working, type WorkingMessage } from './working-message.js';
import type { NormalizeGate, NormalizeGates } from '../gates.js';

/** One request's settings, the same for every pass. */
export interface PassSettings {
  readonly profile: Profile;
  /** The model's id, as the request names it. */
  readonly model: string;
  readonly gates: NormalizeGates;
  /** Names of the tools this request offers. */
  readonly tools: ReadonlySet<string>;
}

/** What a pass may know besides the messages. */
export interface PassContext extends PassSettings {
  /** Named texts shown in front of the conversation, in this order. */
  readonly userContext: Readonly<Record<string, string>>;
  /** Absent: nothing is known of what thinking was signed behind. */
  readonly signatures?: Signatures;
}

/** What it takes to tell whether thinking still stands behind what it was signed behind. */
export interface Signatures {
  /** What each answer was made behind, by its uuid. */
  readonly behind: Readonly<Record<string, RequestPrefix>>;
  /** What stands in front of this request's messages. */
  readonly front: Omit<RequestPrefix, 'messages'>;
  readonly writer: MessageSerializer;
}

export type Action = TraceEntry['action'];

/**
 * One step of the pipeline: a total, deterministic function from messages to messages. It hands back the same object for whatever it leaves alone,
 * by which the tracer sees what it did; it costs nothing where it has nothing to do.
 */
export interface Pass {
  /** The name of its file, and its name in the trace. */
  readonly name: string;
  /** It runs only where this gate is on. */
  readonly gate?: NormalizeGate;
  /** Why it touches a block: one sentence, or one per kind of thing it does. */
  readonly reason: string | Readonly<Partial<Record<Action, string>>>;
  readonly run: (messages: Working, context: PassContext) => Working;
  /** Of a pass that looks at one message at a time: what `run` does to each. */
  readonly each?: EachMessage;
}

/** What becomes of a message, whatever stands around it; null takes it out. */
export type EachMessage = (message: WorkingMessage, settings: PassSettings) => WorkingMessage | null;

export function eachMessage(each: EachMessage): Required<Pick<Pass, 'run' | 'each'>> {
  return { run: (messages, context) => mapped(messages, each, context), each };
}
