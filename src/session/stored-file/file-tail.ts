import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { REFUSAL } from '../state/stop-reasons.js';
import { type ClaudeEntry, claudeLine } from '../transfer/claude-entry.js';
import type { ImportPlan, PlannedMessage } from '../transfer/plan.js';
import { textIn, uuidIn } from '../transfer/shape.js';

/** Roles of the messages that a conversation consists of. */
const SPOKEN: ReadonlySet<ClaudeEntry['role']> = new Set(['prompt', 'answer', 'result']);

interface Tip {
  readonly line: number;
  readonly uuid: string;
  readonly entry: ClaudeEntry;
}

/**
 * The end of a session file, for lines that only continue it: each is a child of the line before, and takes nothing back. Their messages follow the newest message of the file, whatever is above it,
 * so that they are known without a plan of the whole file. Of any other line nothing is known before the next plan.
 */
export class FileTail {
  /** The newest line in the tree, if it is one that a line may continue. */
  #tip: Tip | null = null;
  /** What the file has had so far that moves messages which are far from its end. */
  #isPlain = true;
  #isSidechain: boolean | null = null;
  readonly #calls = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #answerIds = new Set<string>();
  /** The message of the newest line, when all before it is planned. */
  #end: PlannedMessage | null = null;
  #settings: SessionSettings | null = null;
  #plan: ImportPlan | null = null;
  /** Messages that have come, or grown, since the last plan that was used. */
  #changed = new Map<string, PlannedMessage>();

  constructor(private readonly maxMessageBytes: number) {}

  add(line: number, bytes: number, value: unknown): void {
    const read = claudeLine(value);
    if (read.kind === 'leaf' && read.leaf === null) return;
    if (read.kind === 'aside' && read.uuid === null && !read.isSidechain) return;
    this.#isSidechain ??= read.isSidechain;
    const before = this.#tip;
    const uuid = isObject(value) ? textIn(value['uuid']) : null;
    const entry = read.kind === 'message' ? read.entry : null;
    this.#isPlain &&= read.isSidechain === this.#isSidechain && read.kind !== 'leaf' && (entry === null || isPlainEntry(entry));
    this.#tip = entry !== null && uuid !== null && SPOKEN.has(entry.role) && !entry.isOwn ? { line, uuid, entry } : null;
    const isNext = before !== null && this.#tip !== null && entry?.parent === before.uuid;
    if (!isNext || !this.#continues(before, this.#tip!, bytes)) this.#end = null;
    if (entry !== null) this.#note(entry);
  }

  /** A line that is left out of the file. */
  skip(): void {
    this.#tip = null;
    this.#end = null;
  }

  /** The messages that the lines since the last plan make; null: all of the file has to be planned. */
  plan(): ImportPlan | null {
    const head = this.#end;
    if (head === null || this.#plan === null || !this.#isPlain) return null;
    const changed = [...this.#changed.values()];
    return { ...this.#plan, settings: this.#settings!, messages: () => changed, head: head.uuid };
  }

  /** A plan of the whole file. */
  planned(plan: ImportPlan): void {
    this.#end = null;
    this.#changed = new Map();
    if (!this.#isPlain || this.#tip === null || plan.head === null) return;
    let newest = 0;
    for (const message of plan.messages()) {
      if (message.uuid === plan.head) this.#end = message;
      else newest = Math.max(newest, message.lines.at(-1) ?? 0);
    }
    // A message with lines of another one between its own is not simply the last.
    if (this.#end?.lines.at(-1) !== this.#tip.line || newest > (this.#end.lines[0] ?? 0)) this.#end = null;
    this.#plan = plan;
    this.#settings = plan.settings;
  }

  /** What was planned is written. */
  written(): void {
    this.#changed = new Map();
  }

  #continues(before: Tip, { line, uuid, entry }: Tip, bytes: number): boolean {
    const end = this.#end;
    const own = uuidIn(uuid);
    if (end === null || own === null || !this.#isPlain) return false;
    if (entry.calls.some((id) => this.#calls.has(id) || this.#answered.has(id)) || entry.answers.some((id) => this.#answered.has(id))) return false;
    const isFurther = entry.answerId !== null && entry.answerId === before.entry.answerId;
    if (isFurther && end.bytes + bytes > this.maxMessageBytes) return false;
    if (!isFurther && entry.answerId !== null && this.#answerIds.has(entry.answerId)) return false;
    const message = isFurther ? { ...end, lines: [...end.lines, line], bytes: end.bytes + bytes } : { uuid: own, parentUuid: end.uuid, lines: [line], bytes };
    this.#end = message;
    this.#changed.set(message.uuid, message);
    const { model, permissionMode } = entry;
    if (!isFurther)
      this.#settings = { ...this.#settings!, model: model ?? this.#settings!.model, permissionMode: permissionMode ?? this.#settings!.permissionMode };
    return true;
  }

  #note({ calls, answers, answerId }: ClaudeEntry): void {
    for (const id of calls) this.#calls.add(id);
    for (const id of answers) this.#answered.add(id);
    if (answerId !== null) this.#answerIds.add(answerId);
  }
}

/** A line that can be read without those before it: it takes nothing back, keeps nothing over a compaction, and was not refused. */
const isPlainEntry = ({ preserved, withdraws, stopReason }: ClaudeEntry): boolean => preserved === null && withdraws.length === 0 && stopReason !== REFUSAL;
