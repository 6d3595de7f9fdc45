import type { EventData } from '../../../packages/protocol/events/events.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Texts that one event after another repeats, as one string each: a message names the message before it, and most have the turn and the model of that one. What was
 * parsed has its own string for each, which the folded session would hold.
 */
export class RepeatedTexts {
  #uuid: string | null = null;
  #turnId: string | null = null;
  #timestamp = '';
  #model = '';

  /** Replaces texts of a message that was just parsed by equal ones. */
  share(data: EventData['message.appended']): void {
    const { message } = data as { message?: Mutable<typeof data.message> };
    if (!message) return;
    if (data.turnId === this.#turnId) (data as Mutable<typeof data>).turnId = this.#turnId;
    else this.#turnId = data.turnId;
    if (message.parentUuid === this.#uuid) message.parentUuid = this.#uuid;
    this.#uuid = message.uuid;
    if (message.timestamp === this.#timestamp) message.timestamp = this.#timestamp;
    else this.#timestamp = message.timestamp;
    if (message.type === 'assistant') this.#shareModel(message.message);
  }

  #shareModel(answer: Mutable<{ model: string }>): void {
    if (answer.model === this.#model) answer.model = this.#model;
    else this.#model = answer.model;
  }
}
