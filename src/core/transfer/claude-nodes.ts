import type { PermissionMode } from '../message/message.js';
import { Ancestry } from './ancestry.js';
import type { ClaudeEntry } from './claude-entry.js';
import type { Leaf, Node } from './claude-tree.js';
import { freshUuid, type PlannerOptions } from './plan.js';
import { uuidIn } from './shape.js';

/** A parent as far as known when the line was read: a node's number, a uuid not seen so far, null for a root, undefined when unknown. */
type Parent = number | string | null | undefined;

export interface OpenNode extends Node {
  readonly uuid: string;
  readonly lines: number[];
  readonly parent: Parent;
  readonly timestamp: string | null;
  bytes: number;
  readonly model: string | null;
  readonly permissionMode: PermissionMode | null;
}

/** The messages of a file as they are read. Lines with one `message.id` are merged into one node until the next prompt. */
export class ClaudeNodes {
  readonly nodes: OpenNode[] = [];
  /** Nodes by the uuids of all their lines. */
  readonly #byUuid = new Map<string, number>();
  /** Parents of the lines that were merged into an earlier node, by uuid. */
  readonly #mergedParents = new Map<string, Parent>();
  /** All uuids in use. */
  readonly uuids = new Set<string>();
  /** Parents of lines that are not messages; undefined when unknown. */
  readonly #asides = new Map<string, string | null | undefined>();
  /** Nodes that may get further lines, by `message.id`. */
  readonly #open = new Map<string, number>();
  /** Numbers of the calls by id, the newest of each, and the nodes that contain them. */
  readonly #calls = new Map<string, number>();
  readonly #callers: number[] = [];
  #leaf: { readonly uuid: string | null; readonly from: number } | null = null;

  constructor(private readonly options: PlannerOptions) {}

  get hasConversation(): boolean {
    return this.nodes.some(({ role }) => role === 'prompt' || role === 'answer' || role === 'result');
  }

  addMessage(line: number, bytes: number, entry: ClaudeEntry): void {
    if (entry.role === 'prompt') this.#open.clear();
    const isRepeated = entry.uuid !== null && this.#byUuid.has(entry.uuid);
    const home = entry.answerId === null || isRepeated ? undefined : this.#open.get(entry.answerId);
    const whole = home === undefined ? undefined : this.nodes[home];
    const fits = whole !== undefined && whole.bytes + bytes <= this.options.maxMessageBytes;
    const index = fits ? home! : this.nodes.length;
    if (fits) {
      whole.lines.push(line);
      whole.bytes += bytes;
      if (entry.uuid !== null) this.#mergedParents.set(entry.uuid, this.#parentOf(entry));
    } else this.nodes.push(this.#node(line, bytes, entry));
    if (entry.uuid !== null && !isRepeated) this.#byUuid.set(entry.uuid, index);
    if (entry.answerId !== null && !isRepeated) this.#open.set(entry.answerId, index);
    for (const call of entry.calls) this.#calls.set(call, this.#callers.push(index) - 1);
  }

  addAside(uuid: string | null, parent: string | null | undefined): void {
    if (uuid !== null && !this.#asides.has(uuid)) this.#asides.set(uuid, parent);
  }

  setLeaf(uuid: string | null): void {
    this.#leaf = { uuid, from: this.nodes.length };
  }

  /** Null when no line sets it, or when the line names an unknown message. */
  leaf(): Leaf | null {
    if (this.#leaf === null) return null;
    const { uuid, from } = this.#leaf;
    if (uuid === null) return { node: null, from };
    const node = this.#resolve(uuid, new Map());
    return node === null || node === undefined ? null : { node, from };
  }

  /**
   * Number of each node's parent; null for a root. Where the parent is unknown the previous node takes its place, so that a damaged line does not detach
   * everything before it.
   */
  parents(): readonly (number | null)[] {
    const resolved = new Map<string, number | null | undefined>();
    const ancestry = new Ancestry();
    return this.nodes.map(({ parent }, node) => {
      const found = typeof parent === 'string' ? this.#belowInterleaved(parent, node, ancestry, resolved) : parent;
      const known = found === undefined || found === node ? (node === 0 ? null : node - 1) : found;
      ancestry.add(known);
      return known;
    });
  }

  /**
   * The node of a line. When the line was merged into an earlier node and its own parent descends from that node, messages of another answer are in between:
   * the parent is returned, so that they stay on the branch.
   */
  #belowInterleaved(uuid: string, child: number, ancestry: Ancestry, resolved: Map<string, number | null | undefined>): number | null | undefined {
    const node = this.#resolve(uuid, resolved);
    if (typeof node !== 'number' || !this.#mergedParents.has(uuid)) return node;
    const given = this.#mergedParents.get(uuid);
    const before = typeof given === 'string' ? this.#resolve(given, resolved) : given;
    return typeof before === 'number' && before > node && before < child && ancestry.isAncestor(node, before) ? before : node;
  }

  #node(line: number, bytes: number, entry: ClaudeEntry): OpenNode {
    const { role, model, permissionMode, timestamp } = entry;
    const own = uuidIn(entry.uuid);
    const uuid = own === null || this.uuids.has(own) ? freshUuid(line, this.uuids, this.options) : own;
    this.uuids.add(uuid);
    const answers = entry.answers.flatMap((id) => this.#calls.get(id) ?? []);
    const answersTo = answers[0] === undefined ? null : this.#callers[answers[0]]!;
    return { uuid, role, lines: [line], parent: this.#parentOf(entry), answers, answersTo, bytes, model, permissionMode, timestamp };
  }

  /** A uuid stays a uuid when it is a merged line's, since the node alone does not determine the position. */
  #parentOf({ parent }: ClaudeEntry): Parent {
    return typeof parent === 'string' && !this.#mergedParents.has(parent) ? (this.#byUuid.get(parent) ?? parent) : parent;
  }

  /** The node of a line, or of its nearest ancestor that is a message; null above a root, undefined when unknown. `resolved` caches results. */
  #resolve(uuid: string, resolved: Map<string, number | null | undefined>): number | null | undefined {
    const passed: string[] = [];
    let found: number | null | undefined;
    for (let next: string | null | undefined = uuid; ; next = this.#asides.get(next)) {
      found = next === null || next === undefined ? next : (this.#byUuid.get(next) ?? resolved.get(next));
      if (next === null || next === undefined || found !== undefined || resolved.has(next)) break;
      // Marks the way, so that a circle ends.
      resolved.set(next, undefined);
      passed.push(next);
    }
    for (const aside of passed) resolved.set(aside, found);
    return found;
  }
}
