import type { StoredMessage } from '../message/message.js';
import type { ImportReport, SessionSettings } from '../session/events.js';

/** A message to come: its place in the tree, and the lines it is made of. */
export interface PlannedMessage {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly lines: readonly number[];
  /** All lines together. */
  readonly bytes: number;
}

/** What an import will write. Holds no content, so that the content of a large file is never in memory at once. */
export interface ImportPlan {
  readonly settings: SessionSettings;
  /** In the order of writing: parents before children, the newest message of the branch in force last. `report.messages` counts them. */
  readonly messages: () => Iterable<PlannedMessage>;
  /** The lines that are kept as they are, and not sent. */
  readonly kept: readonly { readonly line: number; readonly bytes: number }[];
  /** Even without a message it is a session: an export of one in which nothing was said. */
  readonly allowsEmpty: boolean;
  readonly report: ImportReport;
  /** The message that `values`, the values of its lines, make. `at`: its time when it has none. */
  compose(planned: PlannedMessage, values: readonly unknown[], at: string): StoredMessage;
}

/** Reads a file once, line by line, and then knows what to write. */
export interface Planner {
  add(line: number, bytes: number, value: unknown): void;
  skip(line: number, reason: string): void;
  finish(defaults: SessionSettings): ImportPlan;
}

export interface PlannerOptions {
  /** Pieces of one answer are joined as long as they have no more bytes than this. */
  readonly maxMessageBytes: number;
  /** A uuid made of a name: the same for the same name in the same import, always. */
  readonly uuid: (name: string) => string;
}

/** For a message without a usable uuid of its own. Two messages of one uuid could make the tree a circle, so none is given out twice. */
export function freshUuid(line: number, taken: ReadonlySet<string>, { uuid }: Pick<PlannerOptions, 'uuid'>): string {
  for (let attempt = 0; ; attempt += 1) {
    const fresh = uuid(`${line} ${attempt}`);
    if (!taken.has(fresh)) return fresh;
  }
}
