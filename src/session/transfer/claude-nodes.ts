import { Ancestry } from './ancestry.js';
import type { ClaudeEntry } from './claude-entry.js';
import { type PlacedLine, parentsFirst, type TreeLine } from './claude-lines.js';
import { LossShapes } from './claude-loss-shapes.js';
import { asWithdrawn, withdrawnLines } from './claude-withdrawn.js';
import type { Node } from './claude-tree.js';
import { freshUuid, type PlannerOptions } from './plan.js';
import { uuidIn } from './shape.js';

/** A message of the file. Its number is greater than its parent's. */
export interface MessageNode extends Node {
  readonly uuid: string;
  /** Parents before children. */
  readonly lines: number[];
  readonly parent: number | null;
  /** Of its first line. */
  readonly entry: ClaudeEntry;
  bytes: number;
  /** Numbers of the calls it answers, and the node with those calls, which may have a greater number. */
  answers: readonly number[];
  answersTo: number | null;
  withdrawnBy: number | null;
  /** That of the last line that has one. */
  stopReason: string | null;
}

/** The messages of a file, once all of its lines are known. Lines with one `message.id` are one message, until the next prompt. */
export class ClaudeNodes {
  readonly nodes: MessageNode[] = [];
  /** All uuids in use. */
  readonly uuids = new Set<string>();
  /** Number of prompts that were attached to the newest answer; see LossShapes. */
  readonly reattached: number;
  readonly #ancestry = new Ancestry();
  readonly #at: (uuid: string) => number | undefined;
  /** For each line its message, or for an aside the nearest above it; null above a root, undefined when unknown. */
  readonly #homes: (number | null | undefined)[] = [];
  /** For each line the message that its children follow. */
  readonly #tips: (number | null | undefined)[] = [];
  /** Messages that may get further lines, by `message.id`. */
  readonly #open = new Map<string, number>();
  /** Numbers of the calls by id, and the nodes that contain them. */
  readonly #calls = new Map<string, number[]>();
  readonly #callers: number[] = [];
  /** The last message that is not taken back. */
  #previous: number | null = null;

  /** `rewinds`: numbers of the lines that say that the conversation was rewound. */
  constructor(
    lines: readonly TreeLine[],
    rewinds: readonly number[],
    private readonly options: PlannerOptions,
  ) {
    const withdrawn = withdrawnLines(lines);
    const { placed, at } = parentsFirst(lines.map((line) => (withdrawn.has(line.uuid ?? '') ? asWithdrawn(line) : line)));
    this.#at = at;
    const losses = new LossShapes(rewinds);
    for (const line of placed) this.#place(line, losses.parentOf(line));
    this.reattached = losses.found;
    this.nodes.forEach((node, index) => {
      this.#resolveAnswers(node, index);
      if (node.role === 'withdrawn') node.withdrawnBy = this.nodeOf(withdrawn.get(node.entry.uuid!)!) ?? null;
    });
  }

  /** The message of a line, or of its nearest ancestor that is one; null above a root, undefined when unknown. */
  nodeOf(uuid: string): number | null | undefined {
    const at = this.#at(uuid);
    return at === undefined ? undefined : this.#homes[at];
  }

  #place(line: PlacedLine, above: number | null | undefined): void {
    const up = typeof above === 'number' ? this.#tips[above] : above;
    const home = line.entry === null ? up : this.#add(line, line.entry, up);
    // Of what was taken back, children and references mean the message above it.
    if (line.entry?.role === 'withdrawn') {
      this.#homes.push(this.nodes[home!]!.parent);
      this.#tips.push(this.nodes[home!]!.parent);
      return;
    }
    this.#homes.push(home);
    // When a line of a message stands below a later message, another answer is in between: its children follow that one, so that it stays on the branch.
    const isInterleaved = line.entry !== null && typeof up === 'number' && up > home! && this.#ancestry.isAncestor(home!, up);
    this.#tips.push(isInterleaved ? up : home);
  }

  #add({ line, bytes, uuid }: PlacedLine, entry: ClaudeEntry, up: number | null | undefined): number {
    const { role, calls } = entry;
    const answerId = role === 'withdrawn' && entry.answerId !== null ? `${entry.answerId} withdrawn` : entry.answerId;
    if (role === 'prompt') this.#open.clear();
    const isRepeated = uuid !== null && this.#homes.length !== this.#at(uuid);
    const open = answerId === null || isRepeated ? undefined : this.#open.get(answerId);
    const whole = open === undefined ? undefined : this.nodes[open];
    const fits = whole !== undefined && whole.bytes + bytes <= this.options.maxMessageBytes;
    if (fits) {
      whole.lines.push(line);
      whole.bytes += bytes;
      whole.stopReason = entry.stopReason ?? whole.stopReason;
    } else this.nodes.push(this.#node(line, bytes, entry, up));
    const home = fits ? open! : this.nodes.length - 1;
    if (role !== 'withdrawn') this.#previous = home;
    if (answerId !== null && !isRepeated) this.#open.set(answerId, home);
    for (const call of calls) {
      const number = this.#callers.push(home) - 1;
      const same = this.#calls.get(call);
      if (same) same.push(number);
      else this.#calls.set(call, [number]);
    }
    return home;
  }

  /** Where the parent is unknown the previous message takes its place, so that a damaged line does not detach everything before it. */
  #node(line: number, bytes: number, entry: ClaudeEntry, up: number | null | undefined): MessageNode {
    const own = uuidIn(entry.uuid);
    const uuid = own === null || this.uuids.has(own) ? freshUuid(line, this.uuids, this.options) : own;
    this.uuids.add(uuid);
    const parent = up === undefined ? this.#previous : up;
    this.#ancestry.add(parent);
    return { uuid, role: entry.role, lines: [line], parent, entry, bytes, answers: [], answersTo: null, withdrawnBy: null, stopReason: entry.stopReason };
  }

  #resolveAnswers(node: MessageNode, index: number): void {
    const numbers = node.entry.answers.flatMap((id) => this.#callOf(id, node.parent, index) ?? []);
    if (numbers.length === 0) return;
    node.answers = numbers;
    node.answersTo = this.#callers[numbers[0]!]!;
  }

  /** In copied history a call is there several times: the one of the result's parent counts, or else the newest before the result, or else the first after it. */
  #callOf(id: string, parent: number | null, index: number): number | undefined {
    const found = this.#calls.get(id);
    return found?.find((call) => this.#callers[call] === parent) ?? found?.findLast((call) => this.#callers[call]! < index) ?? found?.[0];
  }
}
