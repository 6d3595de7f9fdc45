import { REFUSAL } from '../state/stop-reasons.js';
import type { MessageNode } from './claude-nodes.js';

/**
 * What each refused answer of a file takes back, by the number of its node. A program that resets its context after a refusal writes no line that says so, and
 * with the turn in it each later request is refused, too. A turn of the server's own has a note for this. Prompt, calls, results, attachments and answer go;
 * summaries, and attachments that are in force for the session, stay. When the same turn has a later answer that was not refused, or when `keepsPrompts`, the
 * answer goes alone.
 */
export function refusedTurns(nodes: readonly MessageNode[], keepsPrompts: boolean): ReadonlyMap<number, readonly number[]> {
  const refused = nodes.flatMap((node, at) => (isRefused(node) ? [at] : []));
  if (refused.length === 0) return new Map();
  const turns = new RefusedTurns(nodes);
  return new Map(refused.map((at) => [at, turns.of(at, keepsPrompts)]));
}

const isRefused = ({ role, stopReason }: MessageNode): boolean => role === 'answer' && stopReason === REFUSAL;

class RefusedTurns {
  readonly #children = new Map<number, number[]>();
  /** Many answers may be refused below one prompt: what following them costs is bounded. */
  #steps: number;

  constructor(private readonly nodes: readonly MessageNode[]) {
    this.#steps = 4 * nodes.length;
    nodes.forEach(({ parent }, at) => {
      const same = parent === null ? undefined : this.#children.get(parent);
      if (same) same.push(at);
      else if (parent !== null) this.#children.set(parent, [at]);
    });
  }

  of(answer: number, keepsPrompts: boolean): readonly number[] {
    const chain = keepsPrompts || this.#isContinued(answer) ? [answer] : this.#turnTo(answer);
    return this.#withBeside(chain, answer).filter((at) => !this.nodes[at]!.entry.isOfSession);
  }

  /** From the answer up to its prompt. What is above another refused answer is taken back by that one. */
  #turnTo(answer: number): readonly number[] {
    const chain = [answer];
    for (let at = this.nodes[answer]!.parent; at !== null && this.#steps > 0; at = this.nodes[at]!.parent) {
      this.#steps -= 1;
      const node = this.nodes[at]!;
      if (node.role === 'boundary' || isRefused(node)) break;
      if (node.role !== 'command' && !node.entry.isOwn) chain.push(at);
      if (node.role === 'prompt') break;
    }
    return chain;
  }

  /** Whether the turn has an answer below this one that was not refused. */
  #isContinued(answer: number): boolean {
    const open = [...(this.#children.get(answer) ?? [])];
    for (let at = open.pop(); at !== undefined && this.#steps > 0; at = open.pop()) {
      this.#steps -= 1;
      const node = this.nodes[at]!;
      if (node.role === 'answer' && !node.entry.isOwn && !isRefused(node)) return true;
      if (node.role !== 'prompt' && node.role !== 'boundary') open.push(...(this.#children.get(at) ?? []));
    }
    return false;
  }

  /** Results of parallel calls, and attachments, can stand beside the chain of parents. What follows the answer, other than results of its calls, stays. */
  #withBeside(chain: readonly number[], answer: number): readonly number[] {
    const found = new Set(chain);
    const open = [...chain];
    for (let at = open.pop(); at !== undefined && this.#steps > 0; at = open.pop()) {
      for (const child of this.#children.get(at) ?? []) {
        this.#steps -= 1;
        const { role } = this.nodes[child]!;
        if (found.has(child) || !(role === 'result' || (role === 'companion' && at !== answer))) continue;
        found.add(child);
        open.push(child);
      }
    }
    return [...found].toSorted((one, other) => one - other);
  }
}
