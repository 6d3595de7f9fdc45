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
  /** The uuids in the session by those in the file, of messages that were written under other uuids as well, or only. */
  readonly copies: Map<string, Set<string>>;
}

/** An erasure leaves the number of the lines, and no summary. */
export function appendLines(state: SessionState, { uuids, summary, messages }: EventData['lines.appended'], seq: number): void {
  const { lines, summary: known, summarySeq, copies } = state.storedFile ?? { lines: 0, summary: null, summarySeq: 0, copies: new Map<string, Set<string>>() };
  const isNew = summary !== null;
  for (const { uuid, name } of messages) if (uuid !== name) copies.set(name, (copies.get(name) ?? new Set()).add(uuid));
  state.storedFile = { lines: lines + uuids.length, summary: isNew ? summary : known, summarySeq: isNew ? seq : summarySeq, copies };
}

/** The uuids of all messages that were written of the same message of the file, that one's among them. */
export function copiesOf({ storedFile }: Pick<SessionState, 'storedFile'>, uuid: string): readonly string[] {
  for (const [name, uuids] of storedFile?.copies ?? []) if (name === uuid || uuids.has(uuid)) return [name, ...uuids];
  return [uuid];
}
