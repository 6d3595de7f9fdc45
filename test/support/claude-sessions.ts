import fc from 'fast-check';
import { call, ClaudeFile, nameOf, text } from './claude-file.js';
import { activeContext, type LoadedLine } from './claude-loader.js';

/** A file as Claude Code writes it, and what it does not say correctly. */
export interface ClaudeSession {
  readonly file: ClaudeFile;
  /** Uuid of the newest message. */
  readonly leaf: string;
  /** The true parents of prompts that the file attaches to a line beside the conversation, by uuid. */
  readonly corrected: ReadonlyMap<string, string>;
}

const step = fc.record({
  does: fc.constantFrom('prompt', 'answer', 'answer', 'calls', 'progress', 'note', 'beside', 'subagent', 'refuse', 'rewind', 'compact', 'compact'),
  /** Choose among the variants of a step. */
  pick: fc.nat(99),
  more: fc.nat(99),
});

/** Sessions with answers of several lines, parallel calls, answers that were taken back, lines beside the conversation, subagents, rewinds, compactions of all kinds, and results before their calls. */
export const claudeSession: fc.Arbitrary<ClaudeSession> = fc.array(step, { maxLength: 14 }).map((steps) => {
  const session = new Session();
  session.prompt();
  for (const { does, pick, more } of steps) session[does](pick, more);
  session.prompt();
  return { file: session.file, leaf: ClaudeFile.uuid(session.tip!), corrected: session.corrected };
});

const uuidOf = (name: string | null): string | null => (name === null ? null : ClaudeFile.uuid(name));

class Session {
  readonly file = new ClaudeFile();
  readonly corrected = new Map<string, string>();
  /** Name of the line to which the next one is added. */
  tip: string | null = null;
  /** Parents of the prompts of the current branch. */
  #starts: (string | null)[] = [];
  #count = 0;

  prompt(): void {
    this.#starts.push(this.tip);
    const name = this.#name('u');
    this.file.user(name, this.tip, `prompt ${name}`);
    this.tip = name;
  }

  answer(pick: number): void {
    const id = this.#name('m');
    for (let line = 0; line <= pick % 3; line += 1) {
      const name = this.#name('a');
      this.file.piece(name, this.tip, id, text(`answer ${name}`));
      this.tip = name;
    }
  }

  /** What follows is a child of the last result only; the line of the first result may stand before that of its call. */
  calls(pick: number): void {
    const id = this.#name('m');
    const [first, one, second, two] = [this.#name('c'), this.#name('r'), this.#name('c'), this.#name('r')] as const;
    this.file.piece(first, this.tip, id, call(`t${first}`)).result(one, first, `t${first}`, `result ${one}`);
    if (pick % 3 === 0) this.file.lines.push(...this.file.lines.splice(-2).reverse());
    this.file.piece(second, first, id, call(`t${second}`)).result(two, second, `t${second}`, `result ${two}`);
    this.tip = two;
  }

  progress(): void {
    this.#aside('progress', { data: {} });
  }

  note(): void {
    this.#aside('system', { subtype: 'api_error', content: '' });
  }

  /** A line beside an answer, and the next prompt below that line instead of below the answer. */
  beside(pick: number): void {
    const before = this.tip;
    if (pick % 2 === 0) this.progress();
    else this.note();
    const aside = this.tip;
    this.tip = before;
    this.answer(pick);
    const answer = this.tip;
    this.tip = aside;
    this.prompt();
    this.#starts[this.#starts.length - 1] = answer;
    this.corrected.set(ClaudeFile.uuid(this.tip!), ClaudeFile.uuid(answer!));
  }

  /** Lines of a subagent between a call and its answer, as they were written inside the file: they have their own root, and the next prompt is below them. */
  subagent(pick: number): void {
    const [task, reply] = [this.#name('s'), this.#name('s')] as const;
    const isSidechain = true;
    this.file.user(task, null, `task ${task}`, { isSidechain }).piece(reply, task, this.#name('m'), text(`reply ${reply}`), { isSidechain });
    const before = this.tip;
    this.tip = reply;
    if (pick % 2 === 0) this.progress();
    const aside = this.tip;
    this.tip = before;
    this.answer(pick);
    const answer = this.tip;
    this.tip = aside;
    this.prompt();
    this.#starts[this.#starts.length - 1] = answer;
    this.corrected.set(ClaudeFile.uuid(this.tip), ClaudeFile.uuid(answer!));
  }

  /** What a model wrote before it refused, and the answer of another one, which may continue in the same message. A note, the answer or both say so. */
  refuse(pick: number, more: number): void {
    const before = this.tip;
    const from = this.file.lines.length;
    if (pick % 2 === 0) this.answer(pick);
    else this.calls(pick);
    const lines = this.file.lines.slice(from).map((line) => JSON.parse(line) as LoadedLine);
    const uuids = lines.map(({ uuid }) => uuid!);
    if (more % 3 !== 0) this.#aside('system', { subtype: 'model_refusal_fallback', content: 'another model', retractedMessageUuids: uuids });
    if (pick % 3 === 0) this.tip = before;
    const [name, id] = [this.#name('a'), more % 4 === 0 ? lines.findLast(({ message }) => message?.id)!.message!.id! : this.#name('m')];
    this.file.piece(name, this.tip, id, text(`answer ${name}`), more % 3 === 1 ? {} : { supersedesUuids: uuids });
    this.tip = name;
  }

  /** Another prompt takes the place of an earlier one. A line may say so; otherwise it says that no message is the end of the branch. */
  rewind(pick: number, more: number): void {
    this.#starts.length = (pick % this.#starts.length) + 1;
    this.tip = this.#starts.pop()!;
    this.file.state('last-prompt', { explicit: more % 2 === 0, leafUuid: uuidOf(this.tip) });
    this.prompt();
  }

  compact(pick: number, more: number): void {
    const [boundary, summary] = [this.#name('B'), this.#name('S')] as const;
    const context = this.#context();
    const { kept, ...compactMetadata } = compaction(context, pick, boundary, summary);
    const logicalParentUuid = uuidOf(this.tip);
    this.file.line('system', boundary, null, { subtype: 'compact_boundary', content: '', logicalParentUuid, compactMetadata });
    this.file.user(summary, boundary, `summary ${summary}`, { isCompactSummary: true });
    this.tip = more % 2 === 0 && kept.length > 0 ? kept.at(-1)! : summary;
    this.prompt();
  }

  #name(kind: string): string {
    this.#count += 1;
    return `${kind}${this.#count}`;
  }

  #aside(type: string, fields: object): void {
    const name = this.#name('p');
    this.file.line(type, name, this.tip, fields);
    this.tip = name;
  }

  /** Names of the first lines of the messages that the model sees; an answer or a pair of calls with its results is one list. */
  #context(): readonly (readonly string[])[] {
    if (this.tip === null) return [];
    const lines = this.file.lines.map((line) => JSON.parse(line) as LoadedLine);
    const groups: string[][] = [];
    for (const { uuid, message, type } of activeContext(lines, ClaudeFile.uuid(this.tip), this.corrected)) {
      const name = nameOf(uuid!);
      const isNew = type === 'user' ? !name.startsWith('r') : message?.id !== groups.at(-1)?.[0];
      if (isNew) groups.push([type === 'user' ? '' : message!.id!]);
      groups.at(-1)!.push(name);
    }
    return groups.map(([, ...names]) => names);
  }
}

/** Metadata of a compaction that keeps nothing, the end of the context, its begin, some of it, or a message that is not in the file. */
function compaction(
  context: readonly (readonly string[])[],
  pick: number,
  boundary: string,
  summary: string,
): { readonly kept: readonly string[]; readonly preservedMessages?: object; readonly preservedSegment?: object } {
  const at = Math.floor(pick / 7) % Math.max(1, context.length);
  const end = context.slice(at).flat();
  const begin = context.slice(0, at + 1).flat();
  const list = (anchor: string, names: readonly string[]): object => ({ anchorUuid: uuidOf(anchor), uuids: names.map(uuidOf), allUuids: names.map(uuidOf) });
  const segment = (anchor: string, names: readonly string[]): object => ({
    ...{ anchorUuid: uuidOf(anchor), headUuid: uuidOf(names[0]!), tailUuid: uuidOf(names.at(-1)!) },
  });
  if (context.length === 0) return { kept: [] };
  switch (pick % 7) {
    case 0:
    case 1:
      return { kept: end, preservedMessages: list(summary, end) };
    case 2:
      return { kept: end, preservedSegment: segment(summary, end) };
    case 3:
      return { kept: [], preservedMessages: list(boundary, begin) };
    case 4: {
      const some = context.filter((_, index) => index % 2 === at % 2).flat();
      return { kept: some, preservedMessages: list(summary, some), ...(some.length === 0 ? {} : { preservedSegment: segment(summary, end) }) };
    }
    case 5:
      return { kept: [], preservedMessages: list(summary, [...end, 'lost']) };
    default:
      return { kept: [] };
  }
}
