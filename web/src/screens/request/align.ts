import type { AnswerOf, ContentBlock, Message, TraceEntry } from '@verbatim/client';

export type Request = Extract<AnswerOf<'getRequest'>, { readonly recordedBy: 'server' }>;
/** A request of which the body is there. */
export type SentRequest = Request & { readonly payload: NonNullable<Request['payload']> };
export const isWhole = (request: Request): request is SentRequest => request.payload !== null;

/** A payload in the form in which the server makes them. */
export type Payload = AnswerOf<'normalizeMessages'>['payload'];

/** What a client sent, in that form: texts as blocks. Only for display. */
export function readable(payload: SentRequest['payload']): Payload {
  const { system, messages, ...rest } = payload as {
    readonly system?: unknown;
    readonly messages: readonly { readonly role?: unknown; readonly content?: unknown }[];
  };
  const blocks = (content: unknown): readonly ContentBlock[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? (content as readonly ContentBlock[]) : [];
  return {
    ...rest,
    ...(system === undefined ? {} : { system: blocks(system) }),
    messages: messages.map(({ role, content }) => ({ role, content: blocks(content) })),
  } as unknown as Payload;
}

export type Action = TraceEntry['action'];

export const ACTIONS: readonly Action[] = ['kept', 'changed', 'moved', 'merged', 'dropped', 'added'];

export interface Stored {
  readonly message: Message;
  /** Null: the message has no block of this index any more, such as one that was erased. */
  readonly block: unknown;
  readonly index: number;
}

export interface Sent {
  readonly message: number;
  readonly block: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: ContentBlock;
}

/** A stored block, what was sent of it, and why. */
export interface Row {
  readonly key: string;
  /** What several passes did to the block, in their order. */
  readonly entries: readonly TraceEntry[];
  /** The one that says most. */
  readonly entry: TraceEntry;
  readonly stored: Stored | null;
  /** Null: it is not sent; or, when `isJoined`, it is part of what the row above shows. */
  readonly sent: Sent | null;
  readonly isJoined: boolean;
}

/** The rows in the order in which blocks are sent; a block that was not sent follows the block that is stored before it. */
export function align({ original, payload, trace }: Pick<SentRequest, 'original' | 'trace'> & { readonly payload: Payload }): readonly Row[] {
  const { stored, order } = storedBlocks(original);
  const byTarget = new Map<string, TraceEntry[]>();
  const dropped: TraceEntry[] = [];
  for (const entry of trace) {
    if (entry.target === null) dropped.push(entry);
    else listAt(byTarget, placeOf(entry.target)).push(entry);
  }
  const rows: Row[] = [];
  payload.messages.forEach(({ role, content }, message) =>
    content.forEach((block, index) => {
      bySource(byTarget.get(placeOf({ message, block: index })) ?? [UNTRACED]).forEach((entries, at) =>
        rows.push({
          key: `${message}.${index}.${at}`,
          entries,
          entry: tellingOf(entries),
          stored: entries[0]!.source ? (stored.get(sourceKey(entries[0]!.source)) ?? null) : null,
          sent: at === 0 ? { message, block: index, role, content: block } : null,
          isJoined: at > 0,
        }),
      );
    }),
  );
  return withDropped(rows, dropped, stored, order);
}

/** Entries of the same source are of one row. */
function bySource(entries: readonly TraceEntry[]): readonly (readonly TraceEntry[])[] {
  const found = new Map<string, TraceEntry[]>();
  for (const entry of entries) listAt(found, entry.source ? sourceKey(entry.source) : '').push(entry);
  return [...found.values()];
}

/** From what says most to what says least. */
const TELLING: readonly Action[] = ['dropped', 'added', 'changed', 'merged', 'moved'];

function tellingOf(entries: readonly TraceEntry[]): TraceEntry {
  const action = TELLING.find((one) => entries.some((entry) => entry.action === one));
  return entries.find((entry) => entry.action === action) ?? entries[0]!;
}

const UNTRACED: TraceEntry = { source: null, action: 'added', pass: '', reason: '', target: null };

function withDropped(
  rows: readonly Row[],
  dropped: readonly TraceEntry[],
  stored: ReadonlyMap<string, Stored>,
  order: ReadonlyMap<string, number>,
): readonly Row[] {
  // For each place in the stored order, the row of the block that is stored there.
  const rowAt = new Map<number, number>();
  rows.forEach(({ entry }, at) => {
    const place = entry.source ? order.get(sourceKey(entry.source)) : undefined;
    if (place !== undefined) rowAt.set(place, at);
  });
  const after = new Map<number, Row[]>();
  for (const entries of bySource(dropped)) {
    const { source } = entries[0]!;
    const key = source ? sourceKey(source) : '';
    let place = (order.get(key) ?? 0) - 1;
    while (place >= 0 && !rowAt.has(place)) place -= 1;
    let at = place < 0 ? -1 : rowAt.get(place)!;
    while (rows[at + 1]?.isJoined) at += 1;
    listAt(after, at).push({ key: `x${key}`, entries, entry: tellingOf(entries), stored: stored.get(key) ?? null, sent: null, isJoined: false });
  }
  return [...(after.get(-1) ?? []), ...rows.flatMap((row, at) => [row, ...(after.get(at) ?? [])])];
}

function storedBlocks(messages: readonly Message[]): { readonly stored: Map<string, Stored>; readonly order: Map<string, number> } {
  const stored = new Map<string, Stored>();
  const order = new Map<string, number>();
  for (const message of messages) {
    blocksOf(message).forEach((block, index) => {
      const key = sourceKey({ uuid: message.uuid, index });
      order.set(key, order.size);
      stored.set(key, { message, block, index });
    });
  }
  return { stored, order };
}

/** The blocks of a stored message as the trace counts them. */
function blocksOf(message: Message): readonly unknown[] {
  if (message.type === 'assistant') return message.message.content;
  if (message.type === 'user') return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  if (message.type === 'system') return [{ type: 'text', text: message.content }];
  if (message.type === 'attachment') return [message.attachment];
  return [message];
}

const sourceKey = ({ uuid, index }: NonNullable<TraceEntry['source']>): string => `${uuid}/${index}`;
const placeOf = ({ message, block }: NonNullable<TraceEntry['target']>): string => `${message}.${block}`;

function listAt<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

/** Rows to show: those of the chosen actions; or all, with runs of unchanged blocks folded. */
export type Shown = { readonly row: Row } | { readonly fold: readonly Row[] };

const CONTEXT = 1;

export function shownRows(rows: readonly Row[], chosen: ReadonlySet<Action>, unfolded: ReadonlySet<string>): readonly Shown[] {
  if (chosen.size > 0) return rows.filter(({ entries }) => entries.some(({ action }) => chosen.has(action))).map((row) => ({ row }));
  const shown: Shown[] = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && rows[end]!.entry.action === 'kept') end += 1;
    const run = rows.slice(at, end);
    const first = at === 0 ? 0 : CONTEXT;
    const last = end === rows.length ? 0 : CONTEXT;
    const folded = run.slice(first, run.length - last);
    if (folded.length > 4 && !unfolded.has(folded[0]!.key)) {
      shown.push(...run.slice(0, first).map((row) => ({ row })), { fold: folded }, ...run.slice(run.length - last).map((row) => ({ row })));
    } else {
      shown.push(...run.map((row) => ({ row })));
    }
    if (end < rows.length) shown.push({ row: rows[end]! });
    at = end + 1;
  }
  return shown;
}
