import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import type { UnknownObject } from '../../support/client.js';
import { EventReader } from '../../support/event-reader.js';
import { Gathered } from '../../support/gathered-attachments.js';
import type { Deployment } from './deployment.js';

/** Several heartbeats (see HASTY). A connection that is silent for longer is lost. */
const SILENCE_MS = 15_000;

/** A client that follows one session: after a lost or silent connection it reconnects to any api and resumes after its last event. */
export class Follower {
  /** Every stored event it was ever sent, in the order of arrival. */
  readonly events = new Gathered<UnknownObject>();
  #reader: EventReader | null = null;
  #over = false;
  readonly #ended: Promise<void>;

  constructor(
    private readonly deployment: Deployment,
    private readonly sessionId: string,
    private readonly chance: Chance,
    private readonly onEvent: (event: UnknownObject) => void = () => undefined,
  ) {
    this.#ended = this.#follow();
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#reader?.close();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    while (!this.#over) {
      try {
        const client = await this.deployment.api(this.chance);
        const last = this.events.items.at(-1)?.seq;
        this.#reader = await client.stream(this.sessionId, last === undefined ? {} : { 'last-event-id': String(last) }, '', SILENCE_MS);
        if (this.#over) this.#reader.close();
        await this.#read(this.#reader);
      } catch {
        // the api was killed or is not ready; the next attempt may reach another
      }
      if (!this.#over) await pause(this.chance.between(5, 50));
    }
  }

  /** Until the stream ends, which rejects. */
  async #read(reader: EventReader): Promise<void> {
    await reader.until(({ id, data }) => {
      if (id !== null) {
        this.onEvent(data);
        this.events.add(data);
      }
      return false;
    });
  }
}
