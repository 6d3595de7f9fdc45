import type { ObjectOf, TypeOf } from '../shape/shape.js';
import { choice, dictionary, integer, list, object, text, textLike, uuid } from '../shape/shapes.js';

export const forkedFrom = object({
  sessionId: uuid,
  at: uuid.nullable('The last shared message; null: none.'),
  seq: integer.about('Version of the parent session at that time.'),
  headHash: textLike('^[0-9a-f]{64}$').about("Head of the parent's hash chain at that version, hexadecimal."),
});
/** The point of the parent session at which a fork was made. */
export type ForkedFrom = TypeOf<typeof forkedFrom>;

const source = choice('verbatim', 'claude-code');
/** The program that wrote an imported file. */
export type ImportSource = TypeOf<typeof source>;

const skippedLine = object({ line: integer.about('Counts from 1.'), reason: text.about('Never contains content of the line.') });
export type SkippedLine = TypeOf<typeof skippedLine>;
const skippedLines = list(skippedLine).content();

/** Result of an import, by line. */
export const importReport = {
  source,
  lines: integer.about('Number of lines that are not blank.'),
  messages: integer.about('Number of messages; several lines may form one answer of the model.'),
  moves: integer.about('Number of rewinds and restores.'),
  preserved: integer.about('Number of messages that compactions of the active branch keep verbatim for the model.'),
  reattached: integer.about('Number of prompts that were attached beside the conversation, and now follow its newest answer.'),
  offBranch: list(uuid).about('Uuids of the first messages that are not on the active branch; `offBranchTotal` counts all of them.'),
  offBranchTotal: integer,
  retained: dictionary(integer).content().about('Number of retained lines by type; they are stored but never sent.'),
  skipped: skippedLines.about('The first of the unreadable lines; `skippedTotal` counts all of them.'),
  skippedTotal: integer,
  shortened: skippedLines.about('The first of the lines that are stored without a part of them.'),
  origin: dictionary(text).about('Metadata in the file about where it was written.'),
};
export type ImportReport = ObjectOf<typeof importReport>;
