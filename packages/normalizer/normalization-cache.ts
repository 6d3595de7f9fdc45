import type { Message } from '../protocol/message/message.js';
import { type BodyPart, PART_CHARACTERS } from './body-text.js';
import { PassFailure, type MessageTransform, type Pass, type PassSettings } from './pass.js';
import type { PayloadMessage } from './payload.js';
import { LastPlaces, Remembered } from './remembered.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';
import { mapped } from '../protocol/mapped.js';
import { liftOne, payloadMessage, type Working, type WorkingMessage } from './working-message.js';

type Results = Remembered<WorkingMessage, WorkingMessage | null>;

/**
 * Results of a session's earlier requests for the next one, most of whose messages are the same objects. It saves time and changes no output: every entry is
 * a function of immutable objects and of the settings, and is keyed by identity. Only those of the last request are kept. All entries belong to one digest function.
 * A change of the settings clears the results of the passes.
 */
export class NormalizationCache {
  readonly #lifted = new Remembered<Message, WorkingMessage>();
  readonly #payload = new Remembered<WorkingMessage, PayloadMessage>();
  /** The messages of the request before, in their order. */
  #last: readonly SerializedMessage[] = [];
  #places = placesOf([]);
  /** Of its body, by their first message. */
  #parts: ReadonlyMap<number, BodyPart> = new Map();
  #settings = '';
  /** What `#settings` is the content of. */
  #known: Pick<PassSettings, 'profile' | 'model' | 'gates' | 'tools'> | null = null;
  #groups: Results[] = [];

  constructor(readonly partCharacters = PART_CHARACTERS) {}

  lift(messages: readonly Message[]): Working {
    return this.#lifted.all(messages, liftOne);
  }

  /** Applies a group of passes, each of which has a `transform`. `group` is the index that keeps its results apart from those of other groups. */
  transform(messages: Working, passes: readonly Pass[], group: number, settings: PassSettings): Working {
    const results = this.#results(group, settings).all(messages, (message) => throughAll(message, passes, settings));
    return mapped(messages, (_message, after, index) => after[index] as WorkingMessage | null, results);
  }

  /** The messages as they are sent. */
  payload(messages: Working): readonly PayloadMessage[] {
    return this.#payload.all(messages, payloadMessage);
  }

  #results(group: number, { profile, model, gates, tools }: PassSettings): Results {
    const known = this.#known;
    // The objects are new ones for each request and the same ones for all groups of it.
    if (known?.profile !== profile || known.model !== model || known.gates !== gates || known.tools !== tools) {
      const offered = Array.from(tools, ([name, { inputs, isClosed }]) => [name, isClosed, ...inputs]);
      const settings = JSON.stringify([profile, model, gates, offered]);
      if (settings !== this.#settings) this.#groups = [];
      this.#settings = settings;
      this.#known = { profile, model, gates, tools };
    }
    return (this.#groups[group] ??= new Remembered());
  }

  /** What is known of a message, at this place of the request before or by its first block; valid only while every block is the same object. */
  serialized(message: PayloadMessage, index: number): SerializedMessage | undefined {
    const here = this.#last[index];
    if (here && isSameMessage(here.message, message)) return here;
    const known = this.#last[this.#places.of(message.content[0], index)];
    return known && isSameMessage(known.message, message) ? known : undefined;
  }

  /** Whether the request before had this message at this place, after the same messages. */
  isLast(serialized: SerializedMessage, index: number): boolean {
    return this.#last[index] === serialized;
  }

  /** The part of the last body that begins with the message at this place. */
  partFrom(index: number): BodyPart | undefined {
    return this.#parts.get(index);
  }

  /** The messages of a request and what its body repeats of them, for the next one. */
  keepLast(serialized: readonly SerializedMessage[], parts: readonly BodyPart[]): void {
    this.#last = serialized;
    this.#places = placesOf(serialized);
    this.#parts = new Map(parts.map((part) => [part.from, part]));
  }
}

const placesOf = (serialized: readonly SerializedMessage[]) => new LastPlaces(serialized, ({ message }) => message.content[0]);

function throughAll(message: WorkingMessage, passes: readonly Pass[], settings: PassSettings): WorkingMessage | null {
  let result: WorkingMessage | null = message;
  for (let at = 0; at < passes.length && result; at += 1) {
    const pass = passes[at] as Pass;
    try {
      result = (pass.transform as MessageTransform)(result, settings);
    } catch (error) {
      throw new PassFailure(pass.name, error);
    }
  }
  return result;
}
