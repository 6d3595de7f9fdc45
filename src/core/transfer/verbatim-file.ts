import type { StoredMessage } from '../message/message.js';
import type { SessionSettings } from '../session/events.js';
import { isObject, type UnknownObject } from '../message/unknown-json.js';
import { freshUuid, type ImportPlan, type PlannedMessage, type Planner, type PlannerOptions } from './plan.js';
import { Report } from './report.js';
import { FORMAT, isSessionLine, settingsIn } from './session-line.js';
import { isContent, textIn, timeIn, uuidIn } from './shape.js';

/** Verbatim's own export: a session line, then one message per line, each a child of the previous one unless it names another earlier message. */
export class VerbatimFilePlanner implements Planner {
  readonly #report = new Report();
  readonly #messages: PlannedMessage[] = [];
  /** Uuids of the messages by their uuids in the file. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  #session: { readonly line: number; readonly value: unknown } | null = null;

  constructor(private readonly options: Pick<PlannerOptions, 'uuid'>) {}

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
    const fault = faultIn(value);
    if (fault !== null) {
      this.skip(line, fault);
      return;
    }
    this.#report.line();
    const { uuid: given, parentUuid } = value as UnknownObject;
    const parent = parentUuid === null && this.#messages.length === 0 ? null : this.#names.get(textIn(parentUuid) ?? '');
    const own = uuidIn(given);
    const uuid = own === null || this.#taken.has(own) ? freshUuid(line, this.#taken, this.options) : own;
    this.#messages.push({ uuid, parentUuid: parent === undefined ? (this.#messages.at(-1)?.uuid ?? null) : parent, lines: [line], bytes });
    this.#taken.add(uuid);
    if (typeof given === 'string' && !this.#names.has(given)) this.#names.set(given, uuid);
  }

  finish(defaults: SessionSettings): ImportPlan {
    const settings = this.#session === null ? defaults : settingsIn(this.#session.value, defaults);
    if (settings === null) this.#report.skip(this.#session!.line, `has invalid settings or a format other than ${FORMAT}`);
    const uuids = this.#messages.map(({ uuid }) => uuid);
    return {
      settings: settings ?? defaults,
      messages: () => this.#messages,
      retained: [],
      allowsEmpty: this.#session !== null && settings !== null,
      report: this.#report.finish('verbatim', uuids, new Set(uuids.keys()), { preserved: 0, reattached: 0 }, {}),
      compose,
    };
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
