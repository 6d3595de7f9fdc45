import type { ObjectOf, TypeOf } from '../shape/shape.js';
import { choice, dictionary, integer, key, list, object, text, textLike, uuid } from '../shape/shapes.js';

export const forkedFrom = object({
  sessionId: uuid,
  at: uuid.nullable('The last shared message; null: none.'),
  seq: integer.about('Version of the parent session at that time.'),
  headHash: textLike('^[0-9a-f]{64}$').about("Head of the parent's hash chain at that version, hexadecimal."),
});
/** The point of the parent session at which a fork was made. */
export type ForkedFrom = TypeOf<typeof forkedFrom>;

export const helperParent = object({
  sessionId: uuid,
  turnId: uuid.about('The turn of the parent session in which the call was made.'),
  toolUseId: key.about('The call of `Agent` or `Skill`.'),
  speaker: uuid.about('The user who wrote the prompt of that turn: the requests of the helper count for them.'),
  depth: integer.about('1 for a helper of a session that is none itself.'),
  tools: list(text).content([]).about('The tools of the server that the helper may be offered, by name.'),
  requests: integer.about('The most requests to the model in the turn of its call.'),
  tokens: integer.about('The most tokens of that turn, counted as for quotas.'),
});
/** The call of a tool that a session was created for: the session is a helper. */
export type HelperParent = TypeOf<typeof helperParent>;

const source = choice('verbatim', 'claude-code');
/** The program that wrote an imported file. */
export type ImportSource = TypeOf<typeof source>;

const skippedLine = object({ line: integer.about('Counts from 1.'), reason: text.about('Never contains content of the line.') });
export type SkippedLine = TypeOf<typeof skippedLine>;
const skippedLines = list(skippedLine).content();

const requestFinding = object({
  line: integer.about('Counts from 1.'),
  hash: text.nullable('Of the message, or of system prompt and tools, that it is about.'),
  reason: text.about('Follows "line N".'),
});
/** What is wrong with a line about a request. */
export type RequestFinding = TypeOf<typeof requestFinding>;

const clientRequestsReport = object({
  requests: integer,
  findings: list(requestFinding).about('Lines that do not fit the others, the first 200 of them.'),
  findingsTotal: integer,
})
  .named('ClientRequestsReport', 'What the file says about the requests that its program had sent.')
  .content();
export type ClientRequestsReport = TypeOf<typeof clientRequestsReport>;

const importedFiles = object({
  versions: integer.about('Changes of the files.'),
  contents: integer.about('Contents, each once.'),
  bytes: integer.about('Size of the contents.'),
  current: uuid.nullable('The version that the files are at.'),
}).named('ImportedFiles', "The files of the session's folder that the file brought.");

/** Result of an import, by line. */
export const importReport = {
  source: source.about('The program that wrote the file.'),
  lines: integer.about('Lines that are not blank.'),
  messages: integer.about('Messages made; one answer of the model may have taken several lines.'),
  moves: integer.about('Rewinds and restores made.'),
  preserved: integer.about('Messages that compactions of the active branch keep verbatim for the model.'),
  reattached: integer.about('Prompts that the file attaches to a line beside the conversation; here they follow its newest answer.'),
  offBranch: list(uuid).about('Messages that are not on the active branch, the first 200 of them.'),
  offBranchTotal: integer,
  retained: dictionary(integer).content().about('Number of lines by type that were stored but are never sent to the model.'),
  skipped: skippedLines.about('Lines that could not be read, the first 200 of them.'),
  skippedTotal: integer,
  shortened: skippedLines.about(
    'Lines that were too long and are stored without the copy of a tool result that their program displays, the first 200 of them.',
  ),
  files: importedFiles.optional('Absent: the file has none.'),
  clientRequests: clientRequestsReport.optional('Absent: the file says nothing about requests.'),
  origin: dictionary(text).about('What the file says about where it was written.'),
};
export type ImportReport = ObjectOf<typeof importReport>;
