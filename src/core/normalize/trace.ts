import { align, NEW } from './align.js';
import { Ledger } from './ledger.js';
import type { Pass } from './pass.js';
import type { TraceEntry } from './payload.js';
import { isMade, type Source, type Working, type WorkingBlock, type WorkingMessage } from './working-message.js';

/** A message that a pass put elsewhere counts as one thing; of one that it touched, each block does. */
type Item = WorkingMessage | WorkingBlock;

/** Where an item stood: the message's index, and how far into the message as a fraction. */
interface Before {
  readonly at: number;
  readonly home: WorkingMessage;
}

/** Where it stood, and the index of the message it stands in now. */
interface Survivor {
  readonly item: Item;
  readonly at: number;
  readonly index: number;
}

/** One pass, looked at from outside. */
interface Step {
  readonly pass: Pass;
  readonly after: Working;
  /** Of each message its index before the pass, or `NEW`. */
  readonly origins: Int32Array;
  /** What stood in the messages that are not in their place any more. */
  readonly old: Map<Item, Before>;
  /** How many new versions of a block there are, by source. */
  readonly replaced: Map<Source, number>;
}

/**
 * Writes down what the passes did, by comparing what stood before and after each: passes hand back the same objects for what they leave alone, so identity
 * tells the rest. Needs no help from the passes but the reason; linear; nothing at all where a pass changed nothing.
 */
export class Tracer {
  readonly #ledger = new Ledger();
  readonly #lifted: Working;

  constructor(lifted: Working) {
    this.#lifted = lifted;
  }

  compare(pass: Pass, before: Working, after: Working): void {
    if (after === before) return;
    const { origins, unplaced } = align(before, after);
    const step: Step = { pass, after, origins, old: whatStood(before, unplaced, after, origins), replaced: new Map() };
    const survivors = this.#survivors(step);
    this.#moves(step, survivors);
    for (const { item } of survivors) step.old.delete(item);
    for (const item of step.old.keys()) this.#gone(step, item);
  }

  /** The ledger of everything compared so far, with each block's place in the final messages. */
  finish(final: Working): readonly TraceEntry[] {
    return this.#ledger.entries(this.#lifted, final);
  }

  #survivors(step: Step): readonly Survivor[] {
    const { pass, after, origins, old } = step;
    const found: Survivor[] = [];
    after.forEach((message, index) => {
      if (origins[index] !== NEW) return;
      const whole = old.get(message);
      if (whole) {
        found.push({ item: message, at: whole.at, index });
        return;
      }
      let host: WorkingMessage | undefined;
      for (const block of message.blocks) {
        const was = old.get(block);
        if (!was) {
          this.#replacement(step, block);
          continue;
        }
        host ??= was.home;
        found.push({ item: block, at: was.at, index });
        if (was.home !== host) for (const source of block.sources) this.#ledger.note(pass, 'merged', source);
      }
    });
    return found;
  }

  /** A block that was not there before: made up, or a new version of what it has its sources from. */
  #replacement({ pass, replaced }: Step, block: WorkingBlock): void {
    for (const source of block.sources) {
      const versions = replaced.get(source) ?? 0;
      replaced.set(source, versions + 1);
      if (isMade(source)) this.#ledger.note(pass, 'made', source);
      else if (versions > 0) this.#ledger.noteSplit(pass, source);
      else this.#ledger.note(pass, source === block.sources[0] ? 'changed' : 'merged', source);
    }
  }

  #gone({ pass, replaced }: Step, item: Item): void {
    for (const { sources } of blocksOf(item)) {
      for (const source of sources) if (!replaced.has(source)) this.#ledger.note(pass, 'dropped', source);
    }
  }

  /** Moved is what now stands in front of something that stood in front of it. */
  #moves({ pass, after, origins }: Step, survivors: readonly Survivor[]): void {
    let earliest = Infinity;
    const look = (item: Item, at: number): void => {
      if (at > earliest) for (const { sources } of blocksOf(item)) for (const source of sources) this.#ledger.note(pass, 'moved', source);
      earliest = Math.min(earliest, at);
    };
    let next = survivors.length - 1;
    for (let index = after.length - 1; index >= 0 && survivors.length > 0; index -= 1) {
      const origin = origins[index] as number;
      if (origin !== NEW) look(after[index] as WorkingMessage, origin);
      for (let now = survivors[next]; now?.index === index; now = survivors[next]) {
        look(now.item, now.at);
        next -= 1;
      }
    }
  }
}

function whatStood(before: Working, unplaced: readonly number[], after: Working, origins: Int32Array): Map<Item, Before> {
  const placedAnew = new Set<WorkingMessage>();
  after.forEach((message, index) => origins[index] === NEW && placedAnew.add(message));
  const old = new Map<Item, Before>();
  for (const index of unplaced) {
    const home = before[index] as WorkingMessage;
    if (placedAnew.has(home)) old.set(home, { at: index, home });
    else home.blocks.forEach((block, place) => old.set(block, { at: index + place / home.blocks.length, home }));
  }
  return old;
}

const blocksOf = (item: Item): readonly WorkingBlock[] => ('sources' in item ? [item] : item.blocks);
