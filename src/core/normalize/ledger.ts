import type { Action, Pass } from './pass.js';
import type { TraceEntry } from './payload.js';
import { isMade, type Source, type Working } from './working-message.js';

type Target = NonNullable<TraceEntry['target']>;

/** An entry whose target is not known before the last pass. */
type Note = Pick<TraceEntry, 'action' | 'pass' | 'reason'>;

/** What passes did to the blocks of a conversation, by source, as long as their places are not known. */
export class Ledger {
  readonly #notes = new Map<Source, Note[]>();
  /** What was made up, as long as it is there. */
  readonly #made = new Map<Source, Note>();
  /** Of blocks that a pass made several of: what is said of all but the first. */
  readonly #splits = new Map<Source, Note>();

  /** Of what was made up nothing is told but who made it. */
  note(pass: Pass, action: Action, source: Source): void {
    if (isMade(source)) {
      if (action === 'made' && !this.#made.has(source)) this.#made.set(source, noteOf(pass, action));
      return;
    }
    const notes = this.#notes.get(source);
    if (notes) notes.push(noteOf(pass, action));
    else this.#notes.set(source, [noteOf(pass, action)]);
  }

  noteSplit(pass: Pass, source: Source): void {
    this.#splits.set(source, noteOf(pass, 'moved'));
  }

  /** Every original block in the order of the transcript, then what was split off or made up, each with its place in the payload. */
  entries(lifted: Working, final: Working): readonly TraceEntry[] {
    const places = new Map<Source, Target>();
    const further: TraceEntry[] = [];
    final.forEach(({ blocks }, message) =>
      blocks.forEach(({ sources }, block) => {
        const target = { message, block };
        for (const source of sources) {
          const isFirst = !places.has(source) && !isMade(source);
          const note = isFirst ? undefined : (this.#made.get(source) ?? this.#splits.get(source));
          if (isFirst) places.set(source, target);
          else if (note) further.push({ source: isMade(source) ? null : source, ...note, target });
        }
      }),
    );
    const entries: TraceEntry[] = [];
    for (const { blocks } of lifted) {
      for (const { sources } of blocks) {
        const source = sources[0] as Source;
        const target = places.get(source) ?? null;
        const notes = this.#notes.get(source);
        if (notes) for (const note of notes) entries.push({ source, ...note, target: note.action === 'dropped' ? null : target });
        else entries.push({ source, action: 'kept', pass: 'none', reason: 'nothing had to be done', target });
      }
    }
    return [...entries, ...further];
  }
}

function noteOf({ name, reason }: Pass, action: Action): Note {
  return { action, pass: name, reason: typeof reason === 'string' ? reason : (reason[action] ?? 'follows from what the pass did elsewhere') };
}
