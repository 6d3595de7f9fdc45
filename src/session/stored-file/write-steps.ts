import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import type { SessionState } from '../state/state.js';
import type { ImportPlan, PlannedMessage } from '../transfer/plan.js';
import type { StoredLines } from './stored-lines.js';

/** A message to be written, with the uuids of the session; `name`: its uuid in the file. */
export interface Write {
  readonly name: string;
  readonly message: PlannedMessage;
}

/** One append: `moveTo` is the head before its messages, which follow each other, or the head that it sets; undefined: the head stays. */
export interface WriteStep {
  readonly moveTo?: string | null;
  readonly writes: readonly Write[];
}

export interface WriteSteps {
  readonly steps: readonly WriteStep[];
  /** The newest message of the active branch, in the session. */
  readonly head: string | null;
}

/** Limits of one append, so that serializing it does not block the event loop. */
const STEP_BYTES = 256 * 1024;
const STEP_MESSAGES = 200;

type KnownState = Pick<SessionState, 'head' | 'messages' | 'requests'>;

/**
 * What is missing in the session of what an import of the whole file would write. A message that has got further lines replaces itself; when its parent is another one now, or a request has been made
 * of it, a copy under another uuid is written instead, with those below it, and the former ones stay as a branch. `fresh`: a uuid from a name, the same for each call.
 */
export function writeSteps(state: KnownState, file: StoredLines, plan: ImportPlan, fresh: (name: string) => string): WriteSteps {
  const names = new Map<string, string>();
  const parents = new Map<string, string | null>();
  const changed: PlannedMessage[] = [];
  const sent = Math.max(0, ...[...state.requests.values()].map(({ seq }) => seq));
  const taken = new Set<string>();
  const inSession = (name: string): string => names.get(name) ?? file.written.get(name)?.uuid ?? name;
  for (const message of plan.messages()) {
    const { uuid: name, parentUuid } = message;
    const parent = parentUuid !== null ? inSession(parentUuid) : file.isErased ? file.head : null;
    const written = file.written.get(name);
    const record = written && state.messages.get(written.uuid);
    const isInPlace = record !== undefined && record.message.parentUuid === parent;
    const isSame = isInPlace && isWrittenAs(mapped(message, inSession, name, parent), written!.lines, record.message);
    parents.set(name, parent);
    if (isInPlace && (isSame || record.seq > sent)) names.set(name, written!.uuid);
    else {
      const uuid = freeUuid(name, (one) => state.messages.has(one) || taken.has(one), fresh);
      taken.add(uuid);
      names.set(name, uuid);
    }
    if (!isSame) changed.push(message);
  }
  const head = plan.head === null ? (file.isErased ? file.head : null) : inSession(plan.head);
  const writes = changed.map((message) => ({ name: message.uuid, message: mapped(message, inSession, names.get(message.uuid)!, parents.get(message.uuid)!) }));
  return { steps: steps(state, writes, head, head !== file.head), head };
}

function steps(state: KnownState, writes: readonly Write[], head: string | null, isOtherHead: boolean): readonly WriteStep[] {
  const found: { moveTo?: string | null; writes: Write[]; bytes: number }[] = [];
  let at = state.head;
  const begin = (to: string | null): void => {
    found.push({ ...(to === at ? {} : { moveTo: to }), writes: [], bytes: 0 });
    at = to;
  };
  const written = new Set<string>();
  for (const write of writes) {
    const { uuid, parentUuid, bytes } = write.message;
    // What replaces itself becomes the head, as it was.
    const before = state.messages.has(uuid) ? uuid : parentUuid;
    const step = found.at(-1);
    if (step === undefined || before !== at || step.writes.length >= STEP_MESSAGES || step.bytes + bytes > STEP_BYTES) begin(before);
    found.at(-1)!.writes.push(write);
    found.at(-1)!.bytes += bytes;
    at = uuid;
    written.add(uuid);
  }
  if (at !== head && (written.size > 0 || isOtherHead)) begin(head);
  return found;
}

function mapped(message: PlannedMessage, inSession: (name: string) => string, uuid: string, parentUuid: string | null): PlannedMessage {
  const { compaction, withdraws } = message;
  return {
    ...message,
    uuid,
    parentUuid,
    ...(compaction === undefined ? {} : { compaction: { kept: compaction.kept.map(inSession), keptAfter: inSession(compaction.keptAfter) } }),
    ...(withdraws === undefined ? {} : { withdraws: withdraws.map(inSession) }),
  };
}

function isWrittenAs({ lines, compaction, withdraws = [] }: PlannedMessage, known: readonly number[], stored: StoredMessage): boolean {
  const { kept = [], keptAfter } = loose(loose(stored)['compactMetadata']) as { kept?: readonly string[]; keptAfter?: string };
  const { withdraws: given = [] } = stored as { withdraws?: readonly string[] };
  return isEqual(lines, known) && isEqual(compaction?.kept ?? [], kept) && compaction?.keptAfter === keptAfter && isEqual(withdraws, given);
}

const isEqual = <T>(one: readonly T[], other: readonly T[]): boolean => one.length === other.length && one.every((item, at) => item === other[at]);

function freeUuid(name: string, isTaken: (uuid: string) => boolean, fresh: (name: string) => string): string {
  if (!isTaken(name)) return name;
  for (let attempt = 1; ; attempt += 1) {
    const uuid = fresh(`${name} ${attempt}`);
    if (!isTaken(uuid)) return uuid;
  }
}
