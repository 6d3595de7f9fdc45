import type { ClaudeEntry } from './claude-entry.js';

/** A line with a place in the tree of a file. `entry` null: not a message. `parent` null: a root; undefined: unknown. */
export interface TreeLine {
  readonly line: number;
  readonly bytes: number;
  readonly uuid: string | null;
  readonly parent: string | null | undefined;
  readonly entry: ClaudeEntry | null;
  /** Only of a line that is not a message here: it belongs to the conversation of a subagent. */
  readonly isSidechain?: boolean;
}

/** A line and its parent among the lines before it; `above` undefined when that is unknown. */
export interface PlacedLine extends TreeLine {
  readonly above: number | null | undefined;
}

export interface PlacedLines {
  readonly placed: readonly PlacedLine[];
  /** Position of the line with this uuid. */
  readonly at: (uuid: string) => number | undefined;
}

/**
 * The lines in the order of the file, except that a parent always comes before its children. `above` counts in this order. A uuid belongs to the first message
 * that has it, or else to the first line. Of a circle of parents, one line has an unknown parent.
 */
export function parentsFirst(lines: readonly TreeLine[]): PlacedLines {
  const byUuid = new Map<string, number>();
  lines.forEach(({ uuid, entry }, index) => {
    const known = uuid === null ? undefined : byUuid.get(uuid);
    if (uuid !== null && (known === undefined || (entry !== null && lines[known]!.entry === null))) byUuid.set(uuid, index);
  });
  const placed: PlacedLine[] = [];
  const places = new Int32Array(lines.length).fill(NONE);
  const waits = new Uint8Array(lines.length);
  const parentOf = (index: number): number => byUuid.get(lines[index]!.parent ?? '') ?? NONE;
  lines.forEach((_, first) => {
    const waiting: number[] = [];
    for (let index = first; index !== NONE && places[index] === NONE && !waits[index]; index = parentOf(index)) {
      waits[index] = 1;
      waiting.push(index);
    }
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const line = lines[index]!;
      const parent = parentOf(index);
      const place = parent === NONE ? NONE : places[parent]!;
      places[index] = placed.push({ ...line, above: line.parent === null ? null : place === NONE ? undefined : place }) - 1;
    }
  });
  return { placed, at: (uuid) => places[byUuid.get(uuid) ?? NONE] };
}

const NONE = -1;
