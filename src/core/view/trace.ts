import type { Action, Pass } from './pass.js';
import type { TraceEntry } from './payload.js';
import { isMade, type Source, type Working, type WorkingBlock, type WorkingMessage } from './working.js';

type Target = NonNullable<TraceEntry['target']>;

/** An entry whose target is not known before the last pass. */
interface Note {
  readonly action: Action;
  readonly pass: string;
  readonly reason: string;
}

/** A message that a pass left alone counts as one thing; of one that it touched, each block does. */
type Item = WorkingMessage | WorkingBlock;

interface Before {
  readonly at: number;
  readonly home: WorkingMessage;
}

/**
 * Writes down what the passes did, by comparing what stood before and after each: passes hand back the same objects for what they leave alone, so identity
 * tells the rest. Needs no help from the passes but the reason; linear in what changed; nothing at all where a pass changed nothing.
 */
export class Tracer {
  readonly #notes = new Map<Source, Note[]>();
  /** What was made up, as long as it is there. */
  readonly #made = new Map<Source, Note>();
  /** Of blocks that a pass made several of: what is said of all but the first. */
  readonly #splits = new Map<Source, Note>();
  readonly #lifted: Working;

  constructor(lifted: Working) {
    this.#lifted = lifted;
  }

  compare(pass: Pass, before: Working, after: Working): void {
    if (after === before) return;
    const [from, beforeEnd, afterEnd] = differing(before, after);
    const untouched = new Set<WorkingMessage>();
    for (let index = from; index < afterEnd; index += 1) untouched.add(after[index] as WorkingMessage);
    const old = new Map<Item, Before>();
    const shared = new Set<WorkingMessage>();
    for (let index = from; index < beforeEnd; index += 1) {
      const home = before[index] as WorkingMessage;
      if (untouched.has(home)) {
        shared.add(home);
        old.set(home, { at: old.size, home });
      } else for (const block of home.blocks) old.set(block, { at: old.size, home });
    }
    this.#survivors(pass, old, after, from, afterEnd, shared);
  }

  #survivors(pass: Pass, old: Map<Item, Before>, after: Working, from: number, end: number, shared: ReadonlySet<WorkingMessage>): void {
    const order: { readonly item: Item; readonly at: number }[] = [];
    const replaced = new Map<Source, number>();
    for (let index = from; index < end; index += 1) {
      const message = after[index] as WorkingMessage;
      if (shared.has(message)) {
        order.push({ item: message, at: (old.get(message) as Before).at });
        continue;
      }
      let host: WorkingMessage | undefined;
      for (const block of message.blocks) {
        const was = old.get(block);
        if (!was) {
          this.#replacement(pass, block, replaced);
          continue;
        }
        host ??= was.home;
        order.push({ item: block, at: was.at });
        if (was.home !== host) this.#note(pass, 'merged', block.sources);
      }
    }
    this.#moves(pass, order);
    for (const { item } of order) old.delete(item);
    for (const item of old.keys()) this.#gone(pass, item, replaced);
  }

  /** A block that was not there before: made up, or a new version of what it has its sources from. */
  #replacement(pass: Pass, block: WorkingBlock, replaced: Map<Source, number>): void {
    for (const source of block.sources) {
      if (isMade(source)) {
        if (!this.#made.has(source)) this.#made.set(source, note(pass, 'made'));
        continue;
      }
      const versions = replaced.get(source) ?? 0;
      replaced.set(source, versions + 1);
      if (versions > 0) this.#splits.set(source, note(pass, 'moved'));
      else this.#note(pass, source === block.sources[0] ? 'changed' : 'merged', [source]);
    }
  }

  #gone(pass: Pass, item: Item, replaced: ReadonlyMap<Source, number>): void {
    for (const { sources } of blocksOf(item)) {
      for (const source of sources) if (!replaced.has(source)) this.#note(pass, 'dropped', [source]);
    }
  }

  /** Moved is what now stands in front of something that stood in front of it. */
  #moves(pass: Pass, order: readonly { readonly item: Item; readonly at: number }[]): void {
    let earliest = Infinity;
    for (let index = order.length - 1; index >= 0; index -= 1) {
      const { item, at } = order[index] as (typeof order)[number];
      if (at > earliest) for (const { sources } of blocksOf(item)) this.#note(pass, 'moved', sources);
      earliest = Math.min(earliest, at);
    }
  }

  #note(pass: Pass, action: Action, sources: readonly Source[]): void {
    for (const source of sources) {
      if (isMade(source)) continue;
      const notes = this.#notes.get(source);
      if (notes) notes.push(note(pass, action));
      else this.#notes.set(source, [note(pass, action)]);
    }
  }

  /** The ledger: every original block in the order of the transcript, then what was made up, each with its place in the payload. */
  finish(final: Working): readonly TraceEntry[] {
    const places = new Map<Source, Target>();
    const further: { readonly source: Source; readonly target: Target }[] = [];
    const inventions: TraceEntry[] = [];
    final.forEach(({ blocks }, message) =>
      blocks.forEach(({ sources }, block) => {
        const target = { message, block };
        for (const source of sources) {
          const invention = this.#made.get(source);
          if (invention) inventions.push({ source: null, ...invention, target });
          else if (places.has(source)) further.push({ source, target });
          else places.set(source, target);
        }
      }),
    );
    const entries: TraceEntry[] = [];
    for (const { blocks } of this.#lifted) {
      for (const { sources } of blocks) {
        const source = sources[0] as Source;
        const target = places.get(source) ?? null;
        const notes = this.#notes.get(source);
        if (notes) for (const one of notes) entries.push({ source, ...one, target: one.action === 'dropped' ? null : target });
        else entries.push({ source, action: 'kept', pass: 'none', reason: 'nothing had to be done', target });
      }
    }
    for (const { source, target } of further) {
      const split = this.#splits.get(source);
      if (split) entries.push({ source, ...split, target });
    }
    return [...entries, ...inventions];
  }
}

/** The stretch in which the two lists differ: its start, and its end in each. */
function differing(before: Working, after: Working): readonly [number, number, number] {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from += 1;
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (beforeEnd > from && afterEnd > from && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  return [from, beforeEnd, afterEnd];
}

const blocksOf = (item: Item): readonly WorkingBlock[] => ('sources' in item ? [item] : item.blocks);

function note({ name, reason }: Pass, action: Action): Note {
  return { action, pass: name, reason: typeof reason === 'string' ? reason : (reason[action] ?? 'see docs/pipeline.md') };
}
