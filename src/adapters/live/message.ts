import type { Json } from '../../core/message/content.js';
import type { LiveSignal } from '../../core/ports.js';

type Delta = Extract<LiveSignal, { readonly kind: 'delta' }>;

/** What one process tells the others. A batch on the wire is a JSON array of these. */
export type Note =
  | readonly ['advanced', sessionId: string, seq: number]
  | readonly ['delta', sessionId: string, type: Delta['type'], data: Json]
  | readonly ['nudge']
  /** "I have begun to listen; who is there?" */
  | readonly ['hello']
  /** "I am there." */
  | readonly ['here']
  /** "I leave." */
  | readonly ['bye'];

/** Anybody who may connect can write to the channel: what is not ours is refused with an error. */
export function parseNotes(body: string): readonly Note[] {
  const notes: unknown = JSON.parse(body);
  if (Array.isArray(notes) && notes.every(isNote)) return notes;
  throw new TypeError('not a list of live notes');
}

const DELTA_TYPES: readonly unknown[] = ['message.delta', 'tool.progress', 'queue.changed'] satisfies readonly Delta['type'][];

function isNote(note: unknown): note is Note {
  if (!Array.isArray(note)) return false;
  const [kind, sessionId, third] = note as readonly unknown[];
  switch (kind) {
    case 'advanced':
      return typeof sessionId === 'string' && Number.isSafeInteger(third);
    case 'delta':
      return typeof sessionId === 'string' && DELTA_TYPES.includes(third) && note.length === 4;
    default:
      return kind === 'nudge' || kind === 'hello' || kind === 'here' || kind === 'bye';
  }
}
