import type { ContentBlock } from '../message/content.js';
import type { Message } from '../message/message.js';
import type { EachMessage, PassSettings } from './pass.js';
import type { PayloadMessage } from './payload.js';
import { liftOne, mapped, type Working, type WorkingMessage } from './working-message.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';

type Outcomes = WeakMap<WorkingMessage, WorkingMessage | null>;

/**
 * What the requests of a session leave for the next one, most of whose messages are the same objects. It changes nothing but the time: whatever is in it is
 * a function of objects that never change and of the settings, is found by their identity, and goes when they go. For one digest function. With other
 * settings than the last ones it begins anew.
 */
export class NormalizationCache {
  readonly #lifted = new WeakMap<Message, WorkingMessage>();
  readonly #written = new WeakMap<ContentBlock, SerializedMessage>();
  #settings = '';
  #rows: Outcomes[] = [];

  lift(messages: readonly Message[]): Working {
    return messages.map((message) => {
      const known = this.#lifted.get(message);
      if (known) return known;
      const fresh = liftOne(message);
      this.#lifted.set(message, fresh);
      return fresh;
    });
  }

  /** Passes in a row, one message at a time. `place`: the row's, by which its outcomes are told from those of other rows. */
  each(messages: Working, passes: readonly EachMessage[], place: number, settings: PassSettings): Working {
    const outcomes = this.#outcomes(place, settings);
    const outcome = (message: WorkingMessage): WorkingMessage | null => {
      const known = outcomes.get(message);
      if (known !== undefined) return known;
      let fresh: WorkingMessage | null = message;
      for (let at = 0; at < passes.length && fresh; at += 1) fresh = (passes[at] as EachMessage)(fresh, settings);
      outcomes.set(message, fresh);
      return fresh;
    };
    return mapped(messages, outcome, null);
  }

  #outcomes(place: number, { profile, model, gates, tools }: PassSettings): Outcomes {
    const settings = JSON.stringify([profile, model, gates, [...tools]]);
    if (settings !== this.#settings) this.#rows = [];
    this.#settings = settings;
    return (this.#rows[place] ??= new WeakMap());
  }

  /** Kept under the message's first block, which passes hand on as it is more often than not; every block has to be the same object as then. */
  written(message: PayloadMessage): SerializedMessage | undefined {
    const [key] = message.content;
    const known = key && this.#written.get(key);
    return known && isSameMessage(known.message, message) ? known : undefined;
  }

  keepWritten(written: SerializedMessage): void {
    const [key] = written.message.content;
    if (key) this.#written.set(key, written);
  }
}
