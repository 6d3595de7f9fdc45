import { align, NEW } from './align.js';
import { TraceWriter } from './trace-writer.js';
import type { Pass } from './pass.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import { isAdded, type Source, type Working, type WorkingBlock, type WorkingMessage } from './working-message.js';

/** A message that moved unchanged is one item; of a message that changed, each block is an item. */
type Item = WorkingMessage | WorkingBlock;

/** Position before the pass: the index of the message plus the position inside it as a fraction. */
interface Before {
  readonly at: number;
  readonly home: WorkingMessage;
}

/** An item present before and after, as it was or in a new version: its old position and the index of its message now. */
interface Survivor {
  readonly item: Item;
  readonly at: number;
  readonly index: number;
}

/** One application of a pass. */
interface Step {
  readonly pass: Pass;
  readonly after: Working;
  /** For each message its index before the pass, or `NEW`. */
  readonly origins: Int32Array;
  /** Items of the messages that have no aligned position in `after`. */
  readonly old: Map<Item, Before>;
  /** Number of new versions of a block, by source. */
  readonly replaced: Map<Source, number>;
}

/**
 * Derives the trace by comparing the messages before and after each pass. Passes return the same objects for what they do not change, so identity is enough
 * and a pass contributes nothing but its reasons. Linear in the number of blocks; constant when a pass changed nothing.
 */
export class Tracer {
  readonly #writer = new TraceWriter();
  readonly #lifted: Working;

  constructor(lifted: Working) {
    this.#lifted = lifted;
  }

  compare(pass: Pass, before: Working, after: Working): void {
    if (after === before) return;
    const { origins, unplaced } = align(before, after);
    const step: Step = { pass, after, origins, old: displacedItems(before, unplaced, after, origins), replaced: new Map() };
    const survivors = this.#survivors(step);
    this.#noteMoves(step, survivors);
    for (const { item } of survivors) step.old.delete(item);
    if (step.old.size > 0) this.#noteDropped(step, pass.dropReasons?.(before));
  }

  /** All entries so far, with the position of each block in the final messages. */
  finish(final: Working): readonly TraceEntry[] {
    return this.#writer.entries(this.#lifted, final);
  }

  #survivors(step: Step): readonly Survivor[] {
    const { pass, after, origins, old } = step;
    const places = new PlacesBySource(old);
    const found: Survivor[] = [];
    after.forEach((message, index) => {
      if (origins[index] !== NEW) return;
      const moved = old.get(message);
      if (moved) {
        found.push({ item: message, at: moved.at, index });
        return;
      }
      let host: WorkingMessage | undefined;
      for (const block of message.blocks) {
        const earlier = old.get(block);
        if (!earlier) {
          this.#noteReplacement(step, block);
          // What became part of another block has no separate place.
          const place = places.of(block.sources[0] as Source);
          if (place) found.push({ item: block, at: place.at, index });
          continue;
        }
        host ??= earlier.home;
        found.push({ item: block, at: earlier.at, index });
        if (earlier.home !== host) for (const source of block.sources) this.#writer.note(pass, 'merged', source);
      }
    });
    return found;
  }

  /** A block object that did not exist before the pass: added, or a new version of the blocks named by its sources. */
  #noteReplacement({ pass, replaced }: Step, block: WorkingBlock): void {
    for (const source of block.sources) {
      const versions = replaced.get(source) ?? 0;
      replaced.set(source, versions + 1);
      if (isAdded(source)) this.#writer.note(pass, 'added', source);
      else if (versions > 0) this.#writer.noteSplit(pass, source);
      else this.#writer.note(pass, source === block.sources[0] ? 'changed' : 'merged', source);
    }
  }

  /** What is left of the old items has no version after the pass. */
  #noteDropped({ pass, old, replaced }: Step, reasonOf?: (block: WorkingBlock) => string | undefined): void {
    for (const item of old.keys()) {
      for (const block of blocksOf(item)) {
        for (const source of block.sources) if (!replaced.has(source)) this.#writer.note(pass, 'dropped', source, reasonOf?.(block));
      }
    }
  }

  /** An item has moved when it now precedes an item that preceded it. A new version of a block stands for its first source. */
  #noteMoves({ pass, after, origins, replaced }: Step, survivors: readonly Survivor[]): void {
    let earliest = Infinity;
    const visit = (item: Item, at: number): void => {
      if (at > earliest) for (const source of movedSources(item, replaced)) this.#writer.note(pass, 'moved', source);
      earliest = Math.min(earliest, at);
    };
    let next = survivors.length - 1;
    for (let index = after.length - 1; index >= 0 && survivors.length > 0; index -= 1) {
      const origin = origins[index] as number;
      if (origin !== NEW) visit(after[index] as WorkingMessage, origin);
      for (let now = survivors[next]; now?.index === index; now = survivors[next]) {
        visit(now.item, now.at);
        next -= 1;
      }
    }
  }
}

function displacedItems(before: Working, unplaced: readonly number[], after: Working, origins: Int32Array): Map<Item, Before> {
  const unaligned = new Set<WorkingMessage>();
  after.forEach((message, index) => origins[index] === NEW && unaligned.add(message));
  const old = new Map<Item, Before>();
  for (const index of unplaced) {
    const home = before[index] as WorkingMessage;
    if (unaligned.has(home)) old.set(home, { at: index, home });
    else home.blocks.forEach((block, place) => old.set(block, { at: index + place / home.blocks.length, home }));
  }
  return old;
}

/** Where the blocks of changed messages were, by their first source. Each place is given once: only one version of a block is the block that moved. */
class PlacesBySource {
  #places: Map<Source, Before> | null = null;

  constructor(private readonly old: ReadonlyMap<Item, Before>) {}

  of(source: Source): Before | undefined {
    if (isAdded(source)) return undefined;
    this.#places ??= this.#found();
    const place = this.#places.get(source);
    this.#places.delete(source);
    return place;
  }

  #found(): Map<Source, Before> {
    const found = new Map<Source, Before>();
    for (const [item, place] of this.old) if ('sources' in item && item.sources[0] && !found.has(item.sources[0])) found.set(item.sources[0], place);
    return found;
  }
}

function movedSources(item: Item, replaced: ReadonlyMap<Source, number>): readonly Source[] {
  const isNew = 'sources' in item && item.sources[0] !== undefined && replaced.has(item.sources[0]);
  return isNew ? item.sources.slice(0, 1) : blocksOf(item).flatMap(({ sources }) => sources);
}

const blocksOf = (item: Item): readonly WorkingBlock[] => ('sources' in item ? [item] : item.blocks);
