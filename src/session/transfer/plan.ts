import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { ImportReport, NewEvent, SessionSettings } from '../../../packages/protocol/events/events.js';
import type { PlannedMove } from './moves.js';
import type { PlannedFiles, PlannedVersion } from './planned-files.js';

/** A message to be written: its position in the tree, and its lines. */
export interface PlannedMessage {
  readonly uuid: string;
  readonly parentUuid: string | null;
  /** Empty for a boundary before a conversation that starts again, which has no line in the file. */
  readonly lines: readonly number[];
  /** Total size of the lines. */
  readonly bytes: number;
  /** Of a message without lines; null or absent: the time of the import. */
  readonly timestamp?: string | null;
  /** Of a boundary that keeps messages: their uuids, and the last message of the compaction. */
  readonly compaction?: { readonly kept: readonly string[]; readonly keptAfter: string };
  /** Versions of the session's folder that it was asked with and had; absent: those that are in force. */
  readonly files?: { readonly before: string | null; readonly at: string | null };
  /** Uuids of the messages that it takes back; absent: none. */
  readonly withdraws?: readonly string[];
}

export interface RetainedLine {
  readonly line: number;
  readonly bytes: number;
  /** It is about a request that the program of the file had sent. */
  readonly isClientLine?: boolean;
}

/** The result of reading a file. Contains no content, so that a large file is never in memory as a whole. */
export interface ImportPlan {
  readonly settings: SessionSettings;
  /** In the order of writing: parents before children. `report.messages` counts them. */
  readonly messages: () => Iterable<PlannedMessage>;
  /** Rewinds and restores, in order; `report.moves` counts them. */
  readonly moves: readonly PlannedMove[];
  /** Null: it has none. */
  readonly files: PlannedFiles | null;
  /** The newest message of the active branch, after all moves. */
  readonly head: string | null;
  /** `event`: made from the value of the line. */
  readonly schedules: readonly { readonly line: number; readonly event: (value: unknown) => NewEvent }[];
  /** Lines that are stored as they are and never sent. */
  readonly retained: readonly RetainedLine[];
  /** Whether a file without messages is a session: the export of an empty session. */
  readonly allowsEmpty: boolean;
  readonly report: ImportReport;
  /** Creates the message from the values of its lines. `at`: the timestamp of lines without one. */
  compose(planned: PlannedMessage, values: readonly unknown[], at: string): StoredMessage;
  /** Creates the event of a move from the value of its line. */
  move(planned: PlannedMove, value: unknown): NewEvent;
}

type Beside = { readonly move: PlannedMove } | { readonly version: PlannedVersion };

/** The messages, moves and changes of files of a plan in the order of writing. */
export function* stepsOf({ messages, moves, files }: ImportPlan): Generator<{ readonly message: PlannedMessage } | Beside> {
  const placed = [
    ...moves.map((move) => ({ after: move.after, line: move.line, step: { move } as Beside })),
    ...(files?.versions ?? []).map((version) => ({ after: version.after, line: version.line, step: { version } as Beside })),
  ].sort((one, other) => one.after - other.after || one.line - other.line);
  let written = 0;
  let next = 0;
  for (const message of messages()) {
    for (; placed[next]?.after === written; next += 1) yield placed[next]!.step;
    yield { message };
    written += 1;
  }
  for (; next < placed.length; next += 1) yield placed[next]!.step;
}

/** A move sets the permission mode to that of its branch; what was set after the last one is set again. */
export function modeAfterMoves({ moves, settings: { permissionMode } }: ImportPlan): NewEvent | null {
  const last = moves.at(-1);
  return last === undefined || last.permissionMode === permissionMode ? null : { type: 'session.configured', data: { changes: { permissionMode } } };
}

/** Reads a file once, line by line, and plans the messages to write. */
export interface Planner {
  add(line: number, bytes: number, value: unknown): void;
  skip(line: number, reason: string): void;
  /** A part of the line is missing in its value. */
  shorten(line: number, reason: string): void;
  finish(defaults: SessionSettings): ImportPlan;
}

export interface PlannerOptions {
  /** Lines of one answer are merged up to this size. */
  readonly maxMessageBytes: number;
  /** Whether the prompt of a turn that the model refused stays in requests. */
  readonly keepsRefusedPrompts: boolean;
  /** A uuid derived from a name, deterministic within an import. */
  readonly uuid: (name: string) => string;
}

/** Of a file whose format is not known yet. */
export interface ImportOptions extends PlannerOptions {
  /** Files that a folder may have: a change names at most so many, and deletes at most so many. */
  readonly maxFiles: number;
}

/** A uuid for a message without a valid unique one. Never returns a uuid in use, since a repeated uuid could create a circle in the tree. */
export function freshUuid(line: number, taken: Pick<ReadonlySet<string>, 'has'>, { uuid }: Pick<PlannerOptions, 'uuid'>): string {
  for (let attempt = 0; ; attempt += 1) {
    const fresh = uuid(`${line} ${attempt}`);
    if (!taken.has(fresh)) return fresh;
  }
}
