import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { isClientLine } from '../../../packages/protocol/request/client-lines.js';
import type { PlannedMove } from './moves.js';
import { claudeLine } from './claude-entry.js';
import { composeClaude } from './claude-message.js';
import { Compactions } from './claude-compactions.js';
import type { TreeLine } from './claude-lines.js';
import { ClaudeNodes, type MessageNode } from './claude-nodes.js';
import { refusedTurns } from './claude-refused.js';
import { type Item, type Leaf, type Order, orderOf } from './claude-tree.js';
import { freshUuid, type ImportPlan, type PlannedMessage, type Planner, type PlannerOptions, type RetainedLine } from './plan.js';
import { Report } from './report.js';
import { textIn } from './shape.js';

/** Members that identify where the file was written; taken from the first line that has them. */
const ORIGIN = ['sessionId', 'version', 'cwd', 'gitBranch'] as const;
const ORIGIN_LENGTH = 1_000;

/** A line that is not a message. `isSidechainMessage`: it is one in a file that has only sidechain messages. */
interface Retained extends RetainedLine {
  readonly name: string;
  readonly isSidechain: boolean;
  readonly isSidechainMessage: boolean;
}

/**
 * A session file of Claude Code: lines in the order of writing, in a tree by uuid, one API message over several lines. In a file of a subagent all lines
 * are sidechain lines: there the sidechain is the session. In any other file sidechain lines are retained.
 */
export class ClaudeFilePlanner implements Planner {
  readonly #report = new Report();
  readonly #main: TreeLine[] = [];
  readonly #sidechain: TreeLine[] = [];
  readonly #retained: Retained[] = [];
  /** The last line that determines the branch, and the numbers of all such lines. */
  #leaf: { readonly uuid: string | null; readonly line: number } | null = null;
  readonly #rewinds: number[] = [];
  readonly #origin: Record<string, string> = {};
  #isOtherAgent = false;
  /** Timestamp of the last message. */
  #newest: string | null = null;

  constructor(private readonly options: PlannerOptions) {}

  skip(line: number, reason: string): void {
    this.#report.line();
    this.#report.skip(line, reason);
  }

  shorten(line: number, reason: string): void {
    this.#report.shorten(line, reason);
  }

  add(line: number, bytes: number, value: unknown): void {
    const read = claudeLine(value);
    const { isSidechain } = read;
    if (read.kind === 'unreadable' && !isSidechain) {
      this.#isOtherAgent ||= read.isOtherAgent;
      this.skip(line, read.reason);
      return;
    }
    this.#report.line();
    this.#noteOrigin(value);
    const own = isSidechain ? this.#sidechain : this.#main;
    if (isSidechain && isObject(value)) {
      this.#main.push({ line, bytes, uuid: textIn(value['uuid']), parent: textIn(value['parentUuid']) ?? undefined, entry: null, isSidechain });
    }
    if (read.kind === 'message') {
      const { entry } = read;
      this.#newest = entry.timestamp ?? this.#newest;
      own.push({ line, bytes, uuid: entry.uuid, parent: entry.parent, entry });
      if (isSidechain) this.#retained.push({ line, bytes, name: 'sidechain', isSidechain, isSidechainMessage: true });
      return;
    }
    const name = read.kind === 'unreadable' ? 'sidechain' : read.name;
    this.#retained.push({ line, bytes, name, isSidechain, isSidechainMessage: false, isClientLine: isClientLine(value) });
    if (read.kind === 'aside' && read.uuid !== null) own.push({ line, bytes, uuid: read.uuid, parent: read.parent, entry: null });
    if (read.kind === 'leaf') {
      this.#leaf = read.leaf === null ? null : { uuid: read.leaf.uuid, line };
      if (read.leaf !== null) this.#rewinds.push(line);
    }
  }

  /** May be called again after further lines. */
  finish(defaults: SessionSettings): ImportPlan {
    const isSidechain = !hasConversation(this.#main) && hasConversation(this.#sidechain);
    const lines = isSidechain ? this.#sidechain : this.#main;
    const isOtherAgent = this.#isOtherAgent && !hasConversation(lines);
    const messages = new ClaudeNodes(isOtherAgent ? [] : lines, this.#rewinds, this.options);
    const compactions = new Compactions(messages.nodes, (uuid) => messages.nodeOf(uuid));
    const order = orderOf(messages.nodes, compactions, this.#leafIn(messages));
    const retained = this.#retained.filter(({ isSidechainMessage }) => !(isSidechain && isSidechainMessage));
    const types = retained.map((one) => (one.isSidechain && !isSidechain ? 'sidechain' : one.name));
    const unused = isSidechain || isOtherAgent ? this.#main.filter(({ entry }) => entry !== null) : [];
    for (const { line } of unused) {
      retained.push({ line, bytes: 0, name: 'other', isSidechain: false, isSidechainMessage: false });
      types.push('other');
    }
    const uuids = order.items.map((item) => this.#uuidOf(item, messages));
    const withdrawn = withdrawnBy(messages.nodes, this.options.keepsRefusedPrompts);
    const kept = [...order.branch].flatMap((at) => keptAt(order.items[at]!, compactions)?.kept ?? []);
    const settings = settingsOf(messages.nodes, order, defaults);
    return {
      settings,
      messages: () => plannedMessages(messages.nodes, order, compactions, uuids, withdrawn),
      files: null,
      moves: this.#toHead(messages.nodes, order, uuids, settings),
      head: uuids[order.head] ?? null,
      schedules: [],
      retained,
      allowsEmpty: false,
      report: this.#report.finish(
        'claude-code',
        uuids,
        order.branch,
        { moves: 0, preserved: new Set(kept).size, reattached: messages.reattached },
        this.#origin,
        types,
      ),
      compose: composeClaude,
      move: ({ from, to, permissionMode, at }) => ({ type: 'session.restored', data: { rewindId: null, from, to, permissionMode, at } }),
    };
  }

  /** The newest message written is the head of a session; where that is not the end of the active branch, the session returns to it. Its line is retained, so it is not counted as a move. */
  #toHead(nodes: readonly MessageNode[], { items, head }: Order, uuids: readonly string[], { permissionMode }: SessionSettings): readonly PlannedMove[] {
    const last = items.length - 1;
    const end = items[head];
    if (head === last || end === undefined || !('node' in end)) return [];
    const move = {
      line: nodes[end.node]!.lines[0]!,
      bytes: 0,
      after: items.length,
      from: uuids[last]!,
      to: uuids[head]!,
      permissionMode,
      rewindId: null,
      rewind: null,
    };
    return [{ ...move, at: this.#newest ?? new Date(0).toISOString() }];
  }

  #leafIn(messages: ClaudeNodes): Leaf | null {
    if (this.#leaf === null) return null;
    const { uuid, line } = this.#leaf;
    const node = uuid === null ? null : messages.nodeOf(uuid);
    return node === undefined || (node === null && uuid !== null) ? null : { node, line };
  }

  #uuidOf(item: Item, { nodes, uuids }: ClaudeNodes): string {
    if ('node' in item) return nodes[item.node]!.uuid;
    const uuid = freshUuid(item.before === null ? 0 : nodes[item.before]!.lines[0]!, uuids, this.options);
    uuids.add(uuid);
    return uuid;
  }

  #noteOrigin(value: unknown): void {
    if (!isObject(value)) return;
    for (const name of ORIGIN) {
      const text = this.#origin[name] === undefined ? textIn(value[name]) : null;
      if (text !== null) this.#origin[name] = text.slice(0, ORIGIN_LENGTH);
    }
  }
}

const hasConversation = (lines: readonly TreeLine[]): boolean =>
  lines.some(({ entry }) => entry !== null && (entry.role === 'prompt' || entry.role === 'answer' || entry.role === 'result'));

/** The nodes that a boundary keeps, and the node of its last message; null for that of a boundary without a line, which consists of itself. */
function keptAt(item: Item, { boundaries }: Compactions): { readonly kept: readonly number[]; readonly after: number | null } | null {
  if ('node' in item) return boundaries.get(item.node) ?? null;
  return item.kept.length === 0 ? null : { kept: item.kept, after: null };
}

function* plannedMessages(
  nodes: readonly MessageNode[],
  { items, parents, branch }: Order,
  compactions: Compactions,
  uuids: readonly string[],
  withdrawn: ReadonlyMap<number, readonly string[]>,
): Generator<PlannedMessage> {
  const isCurrent = new Set([...branch].map((at) => uuids[at]!));
  for (const [index, item] of items.entries()) {
    const uuid = uuids[index]!;
    const place = { uuid, parentUuid: uuids[parents[index]!] ?? null };
    const found = keptAt(item, compactions);
    const keptAfter = found === null || found.after === null ? uuid : nodes[found.after]!.uuid;
    // A branch that has left the compaction before its last message has the boundary only, and nothing is kept.
    const isWhole = found !== null && (!branch.has(index) || isCurrent.has(keptAfter));
    const compaction = isWhole ? { compaction: { kept: found.kept.map((node) => nodes[node]!.uuid), keptAfter } } : {};
    if ('node' in item) {
      const { lines, bytes } = nodes[item.node]!;
      const withdraws = withdrawn.get(item.node);
      yield { ...place, ...compaction, ...(withdraws === undefined ? {} : { withdraws }), lines, bytes };
    } else yield { ...place, ...compaction, lines: [], bytes: 0, timestamp: item.before === null ? null : nodes[item.before]!.entry.timestamp };
  }
}

/** Uuids of what is taken back, by the node that takes it back. */
function withdrawnBy(nodes: readonly MessageNode[], keepsRefusedPrompts: boolean): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const add = (by: number, uuid: string): void => {
    const same = found.get(by);
    if (same) same.push(uuid);
    else found.set(by, [uuid]);
  };
  for (const { uuid, withdrawnBy: by } of nodes) if (by !== null) add(by, uuid);
  for (const [by, refused] of refusedTurns(nodes, keepsRefusedPrompts)) for (const node of refused) add(by, nodes[node]!.uuid);
  return found;
}

/** The model of the last answer, and the last permission mode, of the active branch; of all messages where that has none. */
function settingsOf(nodes: readonly MessageNode[], { items, parents, head }: Order, defaults: SessionSettings): SessionSettings {
  const places: number[] = [];
  for (let at = head; at >= 0; at = parents[at]!) places.push(at);
  for (let at = items.length - 1; at >= 0; at -= 1) places.push(at);
  const newest = <T>(pick: (node: MessageNode) => T | null): T | null => {
    for (const at of places) {
      const item = items[at]!;
      const found = 'node' in item ? pick(nodes[item.node]!) : null;
      if (found !== null) return found;
    }
    return null;
  };
  return {
    ...defaults,
    model: newest(({ entry }) => entry.model) ?? defaults.model,
    permissionMode: newest(({ entry }) => entry.permissionMode) ?? defaults.permissionMode,
  };
}
