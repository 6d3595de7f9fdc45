import type { Json } from '../../../packages/protocol/message/content.js';
import type { EventData } from '../../../packages/protocol/events/events.js';
import type { SessionState } from './state.js';

/** A session file that a client keeps in the session. */
export interface StoredFile {
  readonly lines: number;
  /** What its program says of it; null: nothing, or that was erased. */
  readonly summary: Json;
  /** Seq of the event with the summary; 0: there is none. */
  readonly summarySeq: number;
}

/** An erasure leaves the number of the lines, and no summary. */
export function appendLines(state: SessionState, { uuids, summary }: EventData['lines.appended'], seq: number): void {
  const { lines, summary: known, summarySeq } = state.storedFile ?? { lines: 0, summary: null, summarySeq: 0 };
  const isNew = summary !== null;
  state.storedFile = { lines: lines + uuids.length, summary: isNew ? summary : known, summarySeq: isNew ? seq : summarySeq };
}
