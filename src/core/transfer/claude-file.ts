import type { PermissionMode } from '../message/message.js';
import type { SessionSettings } from '../session/events.js';
import { isObject } from '../message/unknown-json.js';
import { type ClaudeEntry, claudeLine } from './claude-entry.js';
import { composeClaude } from './claude-message.js';
import { type Node, type Order, orderOf } from './claude-tree.js';
import { freshUuid, type ImportPlan, type PlannedMessage, type Planner, type PlannerOptions } from './plan.js';
import { Report } from './report.js';
import { textIn, uuidIn } from './shape.js';

/** What the first line that has it says of where the file comes from. */
const ORIGIN = ['sessionId', 'version', 'cwd', 'gitBranch'] as const;
const ORIGIN_LENGTH = 1_000;

interface Open extends Node {
  /** Where it hangs as far as was known when its line came: a node's number, or the name of what was not known yet. */
  readonly above: number | string | null | undefined;
  bytes: number;
  model: string | null;
  permissionMode: PermissionMode | null;
}

/** A session file of Claude Code: lines in the order of writing, in a tree by uuid, one API message over several of them. */
export class ClaudeFilePlanner implements Planner {
  readonly #report = new Report();
  readonly #nodes: Open[] = [];
  /** Nodes by the uuids of all their lines. */
  readonly #byUuid = new Map<string, number>();
  readonly #taken = new Set<string>();
  /** Parents of lines that are no messages, yet have some below them; undefined where it is not known. */
  readonly #asides = new Map<string, string | null | undefined>();
  /** Answers that may have further pieces: until somebody speaks again. */
  readonly #pieces = new Map<string, number>();
  /** Numbers of the calls by their ids, the newest of each; and the nodes they stand in. */
  readonly #calls = new Map<string, number>();
  readonly #callers: number[] = [];
  readonly #kept: { readonly line: number; readonly bytes: number }[] = [];
  readonly #origin: Record<string, string> = {};

  constructor(private readonly options: PlannerOptions) {}

  skip(line: number, reason: string): void {
    this.#report.line();
    this.#report.skip(line, reason);
  }

  add(line: number, bytes: number, value: unknown): void {
    const read = claudeLine(value);
    if (read.kind === 'unreadable') {
      this.skip(line, read.reason);
      return;
    }
    this.#report.line();
    this.#noteOrigin(value);
    if (read.kind === 'message') {
      this.#addMessage(line, bytes, read.entry);
      return;
    }
    this.#report.keep(read.name);
    this.#kept.push({ line, bytes });
    if (read.uuid !== null && !this.#asides.has(read.uuid)) this.#asides.set(read.uuid, read.isSidechain ? (read.parent ?? undefined) : read.parent);
  }

  finish(defaults: SessionSettings): ImportPlan {
    const order = orderOf(this.#nodes, this.#parents());
    const report = this.#report.finish('claude-code', order.nodes.length, this.#origin);
    return {
      settings: this.#settings(order.nodes, defaults),
      messages: () => this.#messages(order),
      kept: this.#kept,
      allowsEmpty: false,
      report,
      compose: composeClaude,
    };
  }

  *#messages({ nodes, parents }: Order): Generator<PlannedMessage> {
    for (const node of nodes) {
      const { uuid, lines, bytes } = this.#nodes[node]!;
      yield { uuid, parentUuid: this.#nodes[parents[node]!]?.uuid ?? null, lines, bytes };
    }
  }

  #addMessage(line: number, bytes: number, entry: ClaudeEntry): void {
    if (entry.role === 'prompt') this.#pieces.clear();
    const isRepeated = entry.uuid !== null && this.#byUuid.has(entry.uuid);
    const home = entry.answerId === null || isRepeated ? undefined : this.#pieces.get(entry.answerId);
    const whole = home === undefined ? undefined : this.#nodes[home];
    const fits = whole !== undefined && whole.bytes + bytes <= this.options.maxMessageBytes;
    const index = fits ? home! : this.#nodes.length;
    if (fits) {
      whole.lines.push(line);
      whole.bytes += bytes;
    } else this.#nodes.push(this.#node(line, bytes, entry));
    if (entry.uuid !== null && !isRepeated) this.#byUuid.set(entry.uuid, index);
    if (entry.answerId !== null && !isRepeated) this.#pieces.set(entry.answerId, index);
    for (const call of entry.calls) this.#calls.set(call, this.#callers.push(index) - 1);
  }

  #node(line: number, bytes: number, { uuid: given, role, parent, answers, model, permissionMode }: ClaudeEntry): Open {
    const own = uuidIn(given);
    const uuid = own === null || this.#taken.has(own) ? freshUuid(line, this.#taken, this.options) : own;
    this.#taken.add(uuid);
    const answered = answers.flatMap((id) => this.#calls.get(id) ?? []);
    const answersTo = answered[0] === undefined ? null : this.#callers[answered[0]]!;
    const above = typeof parent === 'string' ? (this.#byUuid.get(parent) ?? parent) : parent;
    return { uuid, role, lines: [line], above, answers: answered, answersTo, bytes, model, permissionMode };
  }

  /** Where a parent cannot be found, or is not said, the node before stands in for it: a line that was damaged must not cost all that came before. */
  #parents(): (node: number) => number | null {
    const known = new Map<string, number | null | undefined>();
    return (node) => {
      const { above } = this.#nodes[node]!;
      const found = typeof above === 'string' ? this.#behind(above, known) : above;
      if (found === null) return null;
      return found === undefined || found === node ? (node === 0 ? null : node - 1) : found;
    };
  }

  /** The node of that line, or the first one above it when it is no message; null above a root, undefined where it is not known. `known`: what has been found before. */
  #behind(uuid: string, known: Map<string, number | null | undefined>): number | null | undefined {
    const passed: string[] = [];
    let found: number | null | undefined;
    for (let next: string | null | undefined = uuid; ; next = this.#asides.get(next)) {
      found = next === null || next === undefined ? next : (this.#byUuid.get(next) ?? known.get(next));
      if (next === null || next === undefined || found !== undefined || known.has(next)) break;
      // CheckpointRecorder the way, so that one that leads in circles ends.
      known.set(next, undefined);
      passed.push(next);
    }
    for (const aside of passed) known.set(aside, found);
    return found;
  }

  /** The model that answered last, and the mode in force at the end. */
  #settings(branch: readonly number[], defaults: SessionSettings): SessionSettings {
    const newest = <T>(pick: (node: Open) => T | null): T | null => {
      for (let at = branch.length - 1; at >= 0; at -= 1) {
        const found = pick(this.#nodes[branch[at]!]!);
        if (found !== null) return found;
      }
      return null;
    };
    return {
      ...defaults,
      model: newest(({ model }) => model) ?? defaults.model,
      permissionMode: newest((node) => node.permissionMode) ?? defaults.permissionMode,
    };
  }

  #noteOrigin(value: unknown): void {
    if (!isObject(value)) return;
    for (const name of ORIGIN) {
      const text = this.#origin[name] === undefined ? textIn(value[name]) : null;
      if (text !== null) this.#origin[name] = text.slice(0, ORIGIN_LENGTH);
    }
  }
}
