import { createHash } from 'node:crypto';
import { uuidFromSha256 } from '../../packages/protocol/message/ids.js';
import type { NewEvent, SessionEvent } from '../../packages/protocol/events/events.js';
import type { StoredMessage } from '../../packages/protocol/message/message.js';
import { decide } from '../../src/session/decide/decide.js';
import { takesMessages } from '../../src/session/decide/lines.js';
import { evolve } from '../../src/session/state/evolve.js';
import { emptyState, type SessionState } from '../../src/session/state/state.js';
import { path } from '../../src/session/state/tree.js';
import { parsedLine, StoredLines, uuidOf } from '../../src/session/stored-file/stored-lines.js';
import { writeSteps } from '../../src/session/stored-file/write-steps.js';
import { uuidIn } from '../../src/session/transfer/shape.js';
import { contextEntries } from '../../src/session/payload/conversation.js';
import { SETTINGS } from './planned-import.js';

const AT = '2030-01-01T00:00:00.000Z';
const derived = (name: string): string => uuidFromSha256(createHash('sha256').update(name).digest('hex'));

/** A session file that is appended to a session in memory, without a server. */
export class KeptFile {
  readonly state: SessionState = emptyState();
  readonly events: SessionEvent[] = [];
  /** Each line was read again from the log for each append. */
  readonly #forgets: boolean;
  #file = newFile();

  constructor({ forgets = false } = {}) {
    this.#forgets = forgets;
    this.record([{ type: 'session.created', data: { settings: SETTINGS } }]);
  }

  record(events: readonly NewEvent[]): void {
    for (const event of events) {
      const recorded = { ...event, id: String(this.events.length), seq: this.state.version + 1, time: AT, sessionId: 's', actor: { kind: 'user', id: 'u' } };
      this.events.push(JSON.parse(JSON.stringify(recorded)) as SessionEvent);
      evolve(this.state, this.events.at(-1)!);
    }
  }

  /** `most`: the append ends after so many steps, as that of a process that dies. Returns the number of lines that were new. */
  append(texts: readonly string[], most = Infinity): number {
    if (this.#forgets || most < Infinity) this.#file = newFile();
    const file = this.#file;
    for (const event of this.events.slice(file.version)) file.apply(event);
    const fresh: { text: string; value: unknown }[] = [];
    for (const text of texts) {
      const value = parsedLine(text);
      const uuid = uuidOf(value);
      if (uuid !== null && (file.hasUuid(uuid) || fresh.some((other) => uuidOf(other.value) === uuid))) continue;
      fresh.push({ text, value });
    }
    for (const line of fresh) file.add(line);
    const plan = file.plan(SETTINGS);
    const { steps, head } = takesMessages(this.state) ? writeSteps(this.state, file, plan, derived) : { steps: [], head: file.head };
    const all = steps.length === 0 && fresh.length > 0 ? [{ writes: [] }] : steps;
    for (const [at, step] of all.slice(0, most).entries()) {
      const lines = at === 0 ? fresh : [];
      const messages = step.writes.map(({ message }) =>
        plan.compose(
          message,
          message.lines.map((line) => parsedLine(this.#text(file, line))),
          AT,
        ),
      );
      const data = {
        ...{ lines: lines.map(({ text }) => text), uuids: lines.map(({ value }) => uuidIn(uuidOf(value))), batch: null, summary: null },
        messages: step.writes.map(({ name, message: { uuid, lines: of } }) => ({ uuid, name, lines: of })),
        head: at === all.length - 1 ? head : file.head,
      };
      const moved = step.moveTo === undefined ? {} : { moveTo: step.moveTo };
      const before = this.events.length;
      const { model, permissionMode } = plan.settings;
      this.record(decide({ type: 'AppendLines', lines: data, ...moved, messages, settings: { model, permissionMode } }, this.state));
      file.stored(this.events.slice(before), this.state.version);
    }
    if (most < Infinity) this.#file = newFile();
    else if (takesMessages(this.state)) file.completed();
    return fresh.length;
  }

  #text(file: StoredLines, line: number): string {
    const place = file.line(line);
    if ('text' in place) return place.text;
    const event = this.events[place.seq - 1]!;
    return event.type === 'lines.appended' ? event.data.lines[line - place.first]! : '';
  }

  get lines(): readonly string[] {
    return this.events.flatMap((event) => (event.type === 'lines.appended' ? event.data.lines : []));
  }

  get path(): readonly unknown[] {
    return withoutIds(path(this.state).map(({ message }) => message));
  }

  get sent(): readonly unknown[] {
    return withoutIds(contextEntries(this.state));
  }
}

const newFile = (): StoredLines => new StoredLines({ maxMessageBytes: 1_000_000, keepsRefusedPrompts: false, uuid: derived });

/** Messages as they are, but for ids: places in the list are instead of those by which they name each other, since a message that was written again has another uuid. */
export function withoutIds(messages: readonly StoredMessage[]): readonly unknown[] {
  const places = new Map(messages.map(({ uuid }, at) => [uuid, `message ${at}`]));
  const placeOf = (uuid: string): string => places.get(uuid) ?? 'elsewhere';
  return messages.map((message) => {
    const { uuid: _, parentUuid, withdraws, compactMetadata, ...rest } = message as StoredMessage & { withdraws?: string[]; compactMetadata?: object };
    const { kept, keptAfter, ...more } = (compactMetadata ?? {}) as { kept?: string[]; keptAfter?: string };
    return {
      ...rest,
      parent: parentUuid === null ? null : placeOf(parentUuid),
      withdraws: withdraws?.map(placeOf),
      compacted: { ...more, kept: kept?.map(placeOf), keptAfter: keptAfter === undefined ? null : placeOf(keptAfter) },
    };
  });
}
