import { API_VERSIONS } from '../../../packages/normalizer/api-rules/index.js';
import { profileFor, type Provider } from '../../../packages/normalizer/models/profiles.js';
import type { ProviderError } from '../../../packages/normalizer/provider-rejection.js';
import { ruleOf } from '../../../packages/normalizer/repair/causes.js';
import { repairMessages } from '../../../packages/normalizer/repair/repair-messages.js';
import type { ChangedOption } from '../../../packages/protocol/message/model-options.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { canonicalMessage } from '../../../packages/protocol/request/canonical.js';
import type { SentEdit, SentNote } from '../../../packages/protocol/request/sent-body.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { noteInputs } from '../../../packages/protocol/message/written-input.js';
import { shortDigest } from './body-parts.js';
import { joinBody, markerOf, readMessage, splitBody, withinMarkers, withMarker, withMember, withoutMarkers, writeMessage } from './message-texts.js';

/** A client's request as it goes out, when that is not as the client wrote it. */
export interface RepairedRequest {
  /** The body. */
  readonly text: string;
  readonly edits: readonly SentEdit[];
  /** Of each edit what is sent, without cache markers. */
  readonly instead: readonly (readonly string[])[];
  readonly notes: readonly SentNote[];
  readonly changedOptions: readonly ChangedOption[];
  /** The request whose refusal led to it; null: it follows an earlier request that was repaired. */
  readonly of: string | null;
}

/** A message of the request: one of the client's, by its index, or what is sent instead, without cache markers. */
type Slot = number | string;

/** The client's request: its text, and its messages as values. */
interface Conversation {
  readonly text: string;
  readonly messages: readonly { readonly value: UnknownObject }[];
}

/** A request that the model API refused, as plain data. */
export interface RefusedText {
  readonly requestId: string;
  /** The client's body. */
  readonly text: string;
  /** Uuids of the client's messages. */
  readonly uuids: readonly string[];
  /** How the request went out; null: as the client wrote it. */
  readonly sent: RepairedRequest | null;
  readonly error: ProviderError;
  readonly provider?: Provider | undefined;
  readonly betas: readonly string[];
  readonly apiVersion?: string | undefined;
}

export interface RepairAnswer {
  readonly repaired: RepairedRequest | null;
}

/** Answers the body of a task of the compute pool: a `RefusedText` as JSON. */
export const repairAnswer = (body: Uint8Array): RepairAnswer => ({ repaired: repairedRequest(JSON.parse(Buffer.from(body).toString()) as RefusedText) });

function repairedRequest({ requestId, text, uuids, sent, error, provider, betas, apiVersion }: RefusedText): RepairedRequest | null {
  const body = JSON.parse(text) as UnknownObject & { readonly model?: unknown; readonly messages: readonly UnknownObject[] };
  noteInputs(body, text);
  const conversation = { text: sent?.changedOptions.length ? (withoutThinking(text) ?? text) : text, messages: body.messages.map((value) => ({ value })) };
  const before = sent ? slotsOf(sent, conversation.messages.length) : [...range(0, conversation.messages.length)];
  const { changedOptions = [] } = sent ?? {};
  if (ruleOf(error) === 'open-turn-without-thinking') {
    const off = withoutThinking(conversation.text);
    if (off === null) return null;
    return { ...written({ ...conversation, text: off }, before, () => sent?.notes ?? []), changedOptions: [THINKING_OFF], of: requestId };
  }
  const messages = before.map((slot) => (typeof slot === 'number' ? conversation.messages[slot]!.value : readMessage(slot)));
  const names = before.map((slot, at) => (typeof slot === 'number' ? uuids[slot]! : nameOf(at)));
  const version = API_VERSIONS.find((one) => one === apiVersion);
  const settings = { betas, ...(version === undefined ? {} : { apiVersion: version }) };
  const profile = profileFor(typeof body.model === 'string' ? body.model : '', provider);
  const repaired = repairMessages({ body, messages, uuids: names, error, profile, settings });
  if (!repaired) {
    const isMarked = ruleOf(error) === 'too-many-cache-markers';
    const request = isMarked ? { ...written(conversation, before, () => sent?.notes ?? []), changedOptions, of: requestId } : null;
    return request?.text === (sent?.text ?? conversation.text) ? null : request;
  }
  const slots = repaired.messages.map((item): Slot => (typeof item === 'number' ? before[item]! : writeMessage(withoutMarkers(item))));
  const stay = new Map(repaired.messages.flatMap((item, now) => (typeof item === 'number' ? [[item, now] as const] : [])));
  const notes = notesOf(repaired.trace, uuids, sent?.notes ?? [], stay);
  return { ...written(conversation, slots, () => notes), changedOptions, of: requestId };
}

const THINKING_OFF: ChangedOption = {
  option: 'thinking',
  reason: 'with thinking on, an answer that called tools has to begin with its thinking until the results are answered, and that is lost',
};

/** The body with thinking switched off; null: it is off. */
export function withoutThinking(text: string): string | null {
  const { thinking } = JSON.parse(text) as UnknownObject;
  return isObject(thinking) && thinking['type'] !== 'disabled' ? withMember(text, 'thinking', '{"type":"disabled"}') : null;
}

function slotsOf({ edits, instead }: Pick<RepairedRequest, 'edits' | 'instead'>, count: number): readonly Slot[] {
  const slots = edits.flatMap((edit, at) => [...instead[at]!, ...range(edit.from + edit.count, edits[at + 1]?.from ?? count)]);
  return [...range(0, edits[0]?.from ?? count), ...slots];
}

/** The body with these messages. The client's messages are as it wrote them, and cache markers where it has set them. */
export function written(
  conversation: Conversation,
  slots: readonly Slot[],
  notes: (edits: readonly SentEdit[]) => readonly SentNote[],
): Omit<RepairedRequest, 'of' | 'changedOptions'> {
  const body = splitBody(conversation.text);
  const drafts: SentEdit[] = [];
  const plains: (readonly string[])[] = [];
  const texts: string[] = [];
  let next = 0;
  let instead: string[] = [];
  const flush = (to: number): void => {
    if (instead.length === 0 && to === next) return;
    const values = conversation.messages.slice(next, to).map(({ value }) => value);
    const marker = values.map(markerOf).findLast((one) => one !== undefined);
    const marked = instead.map((text, at) => (marker !== undefined && at === instead.length - 1 ? writeMessage(withMarker(readMessage(text), marker)) : text));
    drafts.push({ from: next, count: to - next, at: texts.length, sent: marked.length, of: digestOf(values) });
    texts.push(...marked);
    plains.push(instead);
    instead = [];
  };
  for (const slot of slots) {
    if (typeof slot === 'string') {
      instead.push(slot);
      continue;
    }
    flush(slot);
    texts.push(body.messages[slot]!);
    next = slot + 1;
  }
  flush(body.messages.length);
  const text = joinBody(body, withinMarkers(JSON.parse(conversation.text) as UnknownObject, texts));
  return { text, edits: drafts, instead: plains, notes: notes(drafts) };
}

/** Without cache markers: each request sets its own. */
export const plain = (text: string): string => (text.includes('"cache_control"') ? writeMessage(withoutMarkers(readMessage(text))) : text);

export const range = (from: number, to: number): readonly number[] => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

export const digestOf = (values: readonly UnknownObject[]): string => shortDigest(values.map(canonicalMessage).join('\n'));

/** What a message is called that was sent in place of others. */
const nameOf = (message: number): string => `repaired ${message}`;

type Noted = readonly [note: Omit<SentNote, 'blocks'>, block: readonly (number | null)[]];

/**
 * What was done to the blocks of the client. `earlier`: the notes of the request that was refused, which had repairs itself. Its blocks are looked up in the trace by their place there, or are where `stay` says, which has the
 * messages that are sent again, from their place to the new one.
 */
function notesOf(trace: readonly TraceEntry[], uuids: readonly string[], earlier: readonly SentNote[], stay: ReadonlyMap<number, number>): readonly SentNote[] {
  const places = new Map(uuids.map((uuid, place) => [uuid, place]));
  const later = new Map<string, TraceEntry[]>();
  const noted: Noted[] = [];
  for (const entry of trace) {
    const { source } = entry;
    const place = source && places.get(source.uuid);
    if (source && place === undefined) {
      const key = keyOf(source.uuid, source.index);
      later.set(key, [...(later.get(key) ?? []), entry]);
    } else noted.push([noteOf(entry), [place ?? null, source?.index ?? null, ...targetOf(entry)]]);
  }
  for (const { blocks, ...note } of earlier) {
    for (const [place = null, index = null, message = null, block = null] of blocks) {
      const key = message === null ? '' : keyOf(nameOf(message), block ?? 0);
      const entries = later.get(key);
      for (const entry of entries ?? []) noted.push([noteOf(entry), [place, index, ...targetOf(entry)]]);
      if (!entries) noted.push([note, [place, index, ...(message !== null && stay.has(message) ? [stay.get(message)!, block] : [null, null])]]);
    }
  }
  return grouped(noted);
}

function grouped(noted: readonly Noted[]): readonly SentNote[] {
  const groups = new Map<string, { readonly note: Noted[0]; readonly blocks: Noted[1][] }>();
  for (const [note, block] of noted) {
    const key = JSON.stringify([note.action, note.pass, note.reason]);
    const group = groups.get(key) ?? { note, blocks: [] };
    groups.set(key, group);
    group.blocks.push(block);
  }
  return [...groups.values()].map(({ note, blocks }) => ({ ...note, blocks }));
}

const keyOf = (uuid: string, index: number): string => `${uuid} ${index}`;
const noteOf = ({ action, pass, reason }: TraceEntry): Noted[0] => ({ action, pass, reason });
const targetOf = ({ target }: TraceEntry): readonly [number | null, number | null] => [target?.message ?? null, target?.block ?? null];
