import type { Action, Pass } from './pass.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import { isAdded, type Source, type Working } from './working-message.js';

type Target = NonNullable<TraceEntry['target']>;

/** An entry whose target is not known before the last pass. */
type Note = Pick<TraceEntry, 'action' | 'pass' | 'reason'>;

/** The actions of the passes on each block, by source, until the final positions are known. */
export class TraceWriter {
  readonly #notes = new Map<Source, Note[]>();
  /** Blocks that a pass added. */
  readonly #added = new Map<Source, Note>();
  /** For blocks that a pass split: the note of every part but the first. */
  readonly #splits = new Map<Source, Note>();

  /** An added block has a single note: the pass that added it. `reason`: in place of that of the pass for this action. */
  note(pass: Pass, action: Action, source: Source, reason?: string): void {
    if (isAdded(source)) {
      if (action === 'added' && !this.#added.has(source)) this.#added.set(source, noteOf(pass, action));
      return;
    }
    const note = noteOf(pass, action, reason);
    const notes = this.#notes.get(source);
    if (notes) notes.push(note);
    else this.#notes.set(source, [note]);
  }

  noteSplit(pass: Pass, source: Source): void {
    this.#splits.set(source, noteOf(pass, 'moved'));
  }

  /** Every stored block in the order of the conversation, then split and added blocks, each with its position in the payload. */
  entries(lifted: Working, final: Working): readonly TraceEntry[] {
    const places = new Map<Source, Target>();
    const further: TraceEntry[] = [];
    final.forEach(({ blocks }, message) =>
      blocks.forEach(({ sources }, block) => {
        const target = { message, block };
        for (const source of sources) {
          const isFirst = !places.has(source) && !isAdded(source);
          const note = isFirst ? undefined : (this.#added.get(source) ?? this.#splits.get(source));
          if (isFirst) places.set(source, target);
          else if (note) further.push({ source: isAdded(source) ? null : nameOf(source), ...note, target });
        }
      }),
    );
    const entries: TraceEntry[] = [];
    for (const { original, kind, blocks } of lifted) {
      if (blocks.length === 0 && original && kind !== 'reader') entries.push({ source: { uuid: original.uuid, index: 0 }, ...EMPTY, target: null });
      for (const { sources } of blocks) {
        const source = sources[0] as Source;
        const target = places.get(source) ?? null;
        const notes = this.#notes.get(source);
        if (notes) for (const note of notes) entries.push({ source: nameOf(source), ...note, target: note.action === 'dropped' ? null : target });
        else entries.push({ source: nameOf(source), action: 'kept', pass: 'none', reason: 'no pass changed it', target });
      }
    }
    return [...entries, ...further];
  }
}

const nameOf = ({ uuid, index }: Source): Source => ({ uuid, index });

/** A message without blocks: no pass can say anything of them. */
const EMPTY: Note = { action: 'dropped', pass: 'none', reason: 'the message has no content' };

function noteOf({ name, reason: reasons }: Pass, action: Action, reason = typeof reasons === 'string' ? reasons : reasons[action]): Note {
  return { action, pass: name, reason: reason ?? 'consequence of a change to another block' };
}
