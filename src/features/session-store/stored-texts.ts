import type { EventStore } from '../../ports/index.js';
import type { StoredLines } from '../../session/stored-file/stored-lines.js';
import { overtaken } from './faults.js';

/** Characters of events that are kept besides the newest one: messages take their lines mostly in order. */
const KEPT_CHARACTERS = 4_000_000;

/** The texts of lines of one session, while messages are made of them. Each event is read once for the lines that are taken from it one after the other. */
export class StoredTexts {
  readonly #events = new Map<number, readonly string[]>();
  #characters = 0;

  constructor(
    private readonly store: Pick<EventStore, 'load'>,
    private readonly of: { readonly tenantId: string; readonly sessionId: string },
  ) {}

  /** Throws `version_conflict` for a line that was erased meanwhile. */
  async text(file: StoredLines, line: number): Promise<string> {
    const place = file.line(line);
    if ('text' in place) return place.text;
    const lines = this.#events.get(place.seq) ?? (await this.#read(place.seq));
    this.#events.delete(place.seq);
    this.#events.set(place.seq, lines); // it was used last
    return lines[line - place.first]!;
  }

  async #read(seq: number): Promise<readonly string[]> {
    const [event] = await this.store.load(this.of.tenantId, this.of.sessionId, seq - 1, seq);
    if (event?.type !== 'lines.appended' || event.erased) throw overtaken(seq);
    const { lines } = event.data;
    for (const [oldest, texts] of this.#events) {
      if (this.#characters <= KEPT_CHARACTERS) break;
      this.#events.delete(oldest);
      this.#characters -= charactersOf(texts);
    }
    this.#characters += charactersOf(lines);
    return lines;
  }
}

const charactersOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);
