import { isContent } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { isObject, loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { isClientLine } from '../../../packages/protocol/request/client-lines.js';
import { isFileLine } from './file-lines.js';
import { FilesPlanner } from './planned-files.js';
import { isMoveLine, type KnownMessages, moveEvent, type PlannedMove, plannedMove } from './moves.js';
import { freshUuid, type ImportPlan, type PlannedMessage, type Planner, type ImportOptions, type RetainedLine } from './plan.js';
import { Report } from './report.js';
import { importedSchedule, isScheduleLine, MOST_SCHEDULES } from './schedules.js';
import { FORMAT, FORMATS, isSessionLine, settingsIn } from './session-line.js';
import { textIn, timeIn, uuidIn } from './shape.js';

/**
 * Verbatim's own export: a session line and its schedules, then one message per line, each a child of the previous one unless it names another earlier message. Between them are
 * the rewinds and restores; without them, the newest message is the head. Lines of files say what the session's folder held.
 */
export class VerbatimFilePlanner implements Planner {
  readonly #report = new Report();
  readonly #messages: PlannedMessage[] = [];
  /** Uuids of the messages by their uuids in the file. */
  readonly #names = new Map<string, string>();
  /** By the uuids of all messages so far. */
  readonly #parents = new Map<string, string | null>();
  readonly #moves: PlannedMove[] = [];
  readonly #rewinds = new Set<string>();
  /** Lines about requests. */
  readonly #retained: RetainedLine[] = [];
  readonly #files: FilesPlanner;
  readonly #schedules: ImportPlan['schedules'][number][] = [];
  #head: string | null = null;
  #session: { readonly line: number; readonly value: unknown } | null = null;

  constructor(private readonly options: Pick<ImportOptions, 'maxFiles' | 'uuid'>) {
    this.#files = new FilesPlanner(options);
  }

  skip(line: number, reason: string): void {
    this.#report.line();
    this.#report.skip(line, reason);
  }

  shorten(line: number, reason: string): void {
    this.#report.shorten(line, reason);
  }

  add(line: number, bytes: number, value: unknown): void {
    if (isSessionLine(value) && this.#session === null && this.#messages.length === 0) {
      this.#report.line();
      this.#session = { line, value };
      return;
    }
    if (isMoveLine(value)) {
      this.#move(line, bytes, value);
      return;
    }
    if (isScheduleLine(value)) {
      this.#schedule(line, value);
      return;
    }
    if (isFileLine(value)) {
      const fault = this.#files.add(line, bytes, value, this.#messages.length, (name) => this.#names.get(name) ?? uuidIn(name) ?? undefined);
      if (fault !== null) return this.skip(line, fault);
      this.#report.line();
      return;
    }
    if (isClientLine(value)) {
      this.#report.line();
      this.#report.retain(String(value['type']));
      this.#retained.push({ line, bytes, isClientLine: true });
      return;
    }
    const fault = faultIn(value);
    if (fault !== null) {
      this.skip(line, fault);
      return;
    }
    this.#report.line();
    const { uuid: given, parentUuid } = value as UnknownObject;
    const named = parentUuid === null && this.#startsAnew() ? null : this.#names.get(textIn(parentUuid) ?? '');
    const parent = named === undefined ? this.#head : named;
    const own = uuidIn(given);
    const uuid = own === null || this.#parents.has(own) ? freshUuid(line, this.#parents, this.options) : own;
    const files = this.#files.take();
    this.#messages.push({ uuid, parentUuid: parent, lines: [line], bytes, ...(files ? { files } : {}) });
    this.#parents.set(uuid, parent);
    this.#head = uuid;
    if (typeof given === 'string' && !this.#names.has(given)) this.#names.set(given, uuid);
  }

  #startsAnew(): boolean {
    return this.#messages.length === 0 || this.#head === null || loose(this.#session?.value)['format'] === FORMAT;
  }

  #move(line: number, bytes: number, value: UnknownObject): void {
    const known = isObject(value['files']) && this.#files.knows(value['files']['to']) ? value : { ...value, files: undefined };
    const move = plannedMove(known, { line, bytes, after: this.#messages.length }, this.#known());
    if (move === null) {
      this.skip(line, `is a ${String(value['type'])} that does not fit the messages before it`);
      return;
    }
    this.#report.line();
    const files = this.#files.moved(value['files']);
    this.#moves.push(files ? { ...move, files } : move);
    this.#head = move.to;
    if (move.rewind !== null) this.#rewinds.add(move.rewindId!);
  }

  #schedule(line: number, value: UnknownObject): void {
    if (importedSchedule(value, '') === null) return this.skip(line, 'is a schedule without text or valid times');
    if (this.#schedules.length === MOST_SCHEDULES) return this.skip(line, `is a schedule beyond the first ${MOST_SCHEDULES}`);
    this.#report.line();
    this.#schedules.push({ line, event: (read) => importedSchedule(read as UnknownObject, this.options.uuid(`schedule ${line}`))! });
  }

  #known(): KnownMessages {
    return {
      head: this.#head,
      uuidOf: (name) => this.#names.get(name),
      parentOf: (uuid) => this.#parents.get(uuid) ?? null,
      rewinds: this.#rewinds,
    };
  }

  finish(defaults: SessionSettings): ImportPlan {
    const settings = this.#session === null ? defaults : settingsIn(this.#session.value, defaults);
    if (settings === null) this.#report.skip(this.#session!.line, `has invalid settings or a format other than ${FORMATS.join(' and ')}`);
    const uuids = this.#messages.map(({ uuid }) => uuid);
    return {
      settings: settings ?? defaults,
      messages: () => this.#messages,
      moves: this.#moves,
      files: this.#files.finish(),
      head: this.#head,
      schedules: this.#schedules,
      retained: this.#retained,
      allowsEmpty: this.#session !== null && settings !== null,
      report: this.#report.finish('verbatim', uuids, this.#branch(uuids), { moves: this.#moves.length, preserved: 0, reattached: 0 }, {}),
      compose,
      move: (planned, value) => moveEvent(planned, value, this.#known()),
    };
  }
  /** Positions of the messages of the active branch. */
  #branch(uuids: readonly string[]): ReadonlySet<number> {
    const current = new Set<string>();
    for (let uuid = this.#head; uuid !== null; uuid = this.#parents.get(uuid) ?? null) current.add(uuid);
    return new Set([...uuids.keys()].filter((at) => current.has(uuids[at]!)));
  }
}

/** The message of a line. Missing members are added; none is removed but the mark of standing context: a file cannot say what is in force here. */
function compose({ uuid, parentUuid }: PlannedMessage, [value]: readonly unknown[], at: string): StoredMessage {
  const { standing: _, ...given } = value as UnknownObject;
  return { ...given, uuid, parentUuid, timestamp: timeIn(given['timestamp']) ?? at } as unknown as StoredMessage;
}

/** Why a line is not a valid message; null when it is. */
function faultIn(value: unknown): string | null {
  if (!isObject(value)) return 'is not a JSON object';
  switch (value['type']) {
    case 'user':
      return isContent(value['content']) ? null : 'is a user message without readable content';
    case 'assistant':
      return isAnswer(value['message']) ? null : 'is an assistant message without a readable message';
    case 'attachment':
      return isObject(value['attachment']) && typeof value['attachment']['type'] === 'string' ? null : 'is an attachment without a type';
    case 'system':
      return typeof value['subtype'] === 'string' && typeof value['content'] === 'string' ? null : 'is a system message without subtype or content';
    case 'tombstone':
      return Array.isArray(value['removed']) ? null : 'is a tombstone without removed messages';
    case 'tool_use_summary':
      return typeof value['summary'] === 'string' && Array.isArray(value['toolUseIds']) ? null : 'is a summary without text or calls';
    default:
      return 'has a type that no message has';
  }
}

function isAnswer(value: unknown): boolean {
  if (!isObject(value) || typeof value['id'] !== 'string' || typeof value['model'] !== 'string') return false;
  return Array.isArray(value['content']) && isContent(value['content']);
}
