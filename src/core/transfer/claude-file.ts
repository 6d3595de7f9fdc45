import { isObject } from '../message/unknown-json.js';
import type { SessionSettings } from '../session/events.js';
import { claudeLine } from './claude-entry.js';
import { composeClaude } from './claude-message.js';
import { ClaudeNodes, type OpenNode } from './claude-nodes.js';
import { type Item, type Order, orderOf } from './claude-tree.js';
import { freshUuid, type ImportPlan, type PlannedMessage, type Planner, type PlannerOptions } from './plan.js';
import { Report } from './report.js';
import { textIn } from './shape.js';

/** Members that identify where the file was written; taken from the first line that has them. */
const ORIGIN = ['sessionId', 'version', 'cwd', 'gitBranch'] as const;
const ORIGIN_LENGTH = 1_000;

/** A line that is not a message. `isSidechainMessage`: it is one in a file that has only sidechain messages. */
interface Retained {
  readonly line: number;
  readonly bytes: number;
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
  readonly #main: ClaudeNodes;
  readonly #sidechain: ClaudeNodes;
  readonly #retained: Retained[] = [];
  readonly #origin: Record<string, string> = {};
  #isOtherAgent = false;

  constructor(private readonly options: PlannerOptions) {
    this.#main = new ClaudeNodes(options);
    this.#sidechain = new ClaudeNodes(options);
  }

  skip(line: number, reason: string): void {
    this.#report.line();
    this.#report.skip(line, reason);
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
    if (isSidechain && isObject(value)) this.#main.addAside(textIn(value['uuid']), textIn(value['parentUuid']) ?? undefined);
    if (read.kind === 'message') {
      (isSidechain ? this.#sidechain : this.#main).addMessage(line, bytes, read.entry);
      if (isSidechain) this.#retained.push({ line, bytes, name: 'sidechain', isSidechain, isSidechainMessage: true });
      return;
    }
    const name = read.kind === 'unreadable' ? 'sidechain' : read.name;
    this.#retained.push({ line, bytes, name, isSidechain, isSidechainMessage: false });
    if (read.kind === 'aside') (isSidechain ? this.#sidechain : this.#main).addAside(read.uuid, read.parent);
    if (read.kind === 'leaf') for (const nodes of [this.#main, this.#sidechain]) nodes.setLeaf(read.uuid);
  }

  finish(defaults: SessionSettings): ImportPlan {
    const isSidechain = !this.#main.hasConversation && this.#sidechain.hasConversation;
    const nodes = isSidechain ? this.#sidechain : this.#main;
    const isOtherAgent = this.#isOtherAgent && !nodes.hasConversation;
    const order = isOtherAgent ? { items: [], parents: [] } : orderOf(nodes.nodes, nodes.parents(), nodes.leaf());
    const retained = this.#retained.filter(({ isSidechainMessage }) => !(isSidechain && isSidechainMessage));
    for (const one of retained) this.#report.retain(one.isSidechain && !isSidechain ? 'sidechain' : one.name);
    const unused = isSidechain || isOtherAgent ? this.#main.nodes.flatMap(({ lines }) => lines) : [];
    for (const line of unused) {
      retained.push({ line, bytes: 0, name: 'other', isSidechain: false, isSidechainMessage: false });
      this.#report.retain('other');
    }
    const uuids = order.items.map((item) => this.#uuidOf(item, nodes));
    return {
      settings: settingsOf(nodes.nodes, order, defaults),
      messages: () => plannedMessages(nodes.nodes, order, uuids),
      retained,
      allowsEmpty: false,
      report: this.#report.finish('claude-code', order.items.length, this.#origin),
      compose: composeClaude,
    };
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

function* plannedMessages(nodes: readonly OpenNode[], { items, parents }: Order, uuids: readonly string[]): Generator<PlannedMessage> {
  for (const [index, item] of items.entries()) {
    const place = { uuid: uuids[index]!, parentUuid: uuids[parents[index]!] ?? null };
    if ('node' in item) {
      const { lines, bytes } = nodes[item.node]!;
      yield { ...place, lines, bytes };
    } else yield { ...place, lines: [], bytes: 0, timestamp: item.before === null ? null : nodes[item.before]!.timestamp };
  }
}

/** The model of the last answer, and the last permission mode. */
function settingsOf(nodes: readonly OpenNode[], { items }: Order, defaults: SessionSettings): SessionSettings {
  const newest = <T>(pick: (node: OpenNode) => T | null): T | null => {
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const item = items[at]!;
      const found = 'node' in item ? pick(nodes[item.node]!) : null;
      if (found !== null) return found;
    }
    return null;
  };
  return {
    ...defaults,
    model: newest(({ model }) => model) ?? defaults.model,
    permissionMode: newest(({ permissionMode }) => permissionMode) ?? defaults.permissionMode,
  };
}
