import type { ContentBlock } from '../message/content.js';
import type { Message } from '../message/message.js';
import { PassFailure, type MessageTransform, type Pass, type PassSettings } from './pass.js';
import type { PayloadMessage } from './payload.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';
import { liftOne, mapped, type Working, type WorkingMessage } from './working-message.js';

type Results = WeakMap<WorkingMessage, WorkingMessage | null>;

/**
 * Results of a session's earlier requests for the next one, most of whose messages are the same objects. It saves time and changes no output: every entry is
 * a function of immutable objects and of the settings, is keyed by identity, and is collected with its key. All entries belong to one digest function.
 * A change of the settings clears the results of the passes.
 */
export class NormalizationCache {
  readonly #lifted = new WeakMap<Message, WorkingMessage>();
  readonly #serialized = new WeakMap<ContentBlock, SerializedMessage>();
  #settings = '';
  /** What `#settings` is the content of. */
  #known: Pick<PassSettings, 'profile' | 'model' | 'gates' | 'tools'> | null = null;
  #groups: Results[] = [];

  lift(messages: readonly Message[]): Working {
    return messages.map((message) => {
      const known = this.#lifted.get(message);
      if (known) return known;
      const lifted = liftOne(message);
      this.#lifted.set(message, lifted);
      return lifted;
    });
  }

  /** Applies a group of passes, each of which has a `transform`. `group` is the index that keeps its results apart from those of other groups. */
  transform(messages: Working, passes: readonly Pass[], group: number, settings: PassSettings): Working {
    const results = this.#results(group, settings);
    const transformed = (message: WorkingMessage): WorkingMessage | null => {
      const known = results.get(message);
      if (known !== undefined) return known;
      const result = throughAll(message, passes, settings);
      results.set(message, result);
      return result;
    };
    return mapped(messages, transformed, null);
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
    return (this.#groups[group] ??= new WeakMap());
  }

  /** Keyed by the first block of the message; the entry is valid only while every block is the same object. */
  serialized(message: PayloadMessage): SerializedMessage | undefined {
    const [key] = message.content;
    const known = key && this.#serialized.get(key);
    return known && isSameMessage(known.message, message) ? known : undefined;
  }

  keepSerialized(serialized: SerializedMessage): void {
    const [key] = serialized.message.content;
    if (key) this.#serialized.set(key, serialized);
  }
}

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
