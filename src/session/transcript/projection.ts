import type { Json } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import type { ContentErased, NewEvent } from '../../../packages/protocol/events/events.js';
import { emptyState, type SessionState } from '../state/state.js';
import { branch, path } from '../state/tree.js';
import { preview, readerText } from './reader-text.js';

/** Characters of the first and last text in a row of the session list. */
const PREVIEW_CHARACTERS = 200;

/** Text that can be searched: the title of the session, under the id of the session, or a message under its uuid. */
export interface SearchableText {
  readonly id: string;
  readonly kind: 'title' | 'user' | 'assistant';
  /** Empty: there is no such text any more. */
  readonly text: string;
}

/** What an append changes in the session list and in the search, besides the row that every append writes. */
export interface SessionProjection {
  /** Texts of the conversation added, less those removed. */
  readonly messages: number;
  /** The head moved back or to another branch: `firstText` and `lastText` replace the earlier ones, also when they are null. */
  readonly moved: boolean;
  readonly firstText: string | null;
  readonly lastText: string | null;
  /** Totals after the append; null: unchanged. */
  readonly usage: SessionState['usage'] | null;
  readonly archived: boolean | null;
  readonly metadata: { readonly [key: string]: Json } | null;
  readonly texts: readonly SearchableText[];
  /** Uuids of messages that leave the conversation, and of those that return to it. */
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
}

const NOTHING: SessionProjection = {
  messages: 0,
  moved: false,
  firstText: null,
  lastText: null,
  usage: null,
  archived: null,
  metadata: null,
  texts: [],
  hidden: [],
  shown: [],
};

/** Null: `events`, appended to `state`, change nothing in it. Its cost depends on the new events and, when the head moves, on the length of the conversation. */
export function sessionProjection(sessionId: string, state: SessionState, events: readonly NewEvent[]): SessionProjection | null {
  return events.reduce<SessionProjection | null>((before, event) => {
    const changed = change(sessionId, state, event, before);
    return changed ? { ...(before ?? NOTHING), ...changed } : before;
  }, null);
}

/** The same for a part of an import, which is appended without a state. `current`: the messages of the active branch; the texts of all others are hidden, as after a rewind. */
export function importProjection(sessionId: string, all: readonly NewEvent[], current: ReadonlySet<string>): SessionProjection | null {
  const events = all.filter(({ type }) => type !== 'session.rewound' && type !== 'session.restored');
  const isCurrent = (event: NewEvent): boolean => event.type !== 'message.appended' || current.has(event.data.message.uuid);
  const [shown, hidden] = [isCurrent, (event: NewEvent) => !isCurrent(event)].map((part) => sessionProjection(sessionId, emptyState(), events.filter(part)));
  if (!hidden) return shown ?? null;
  return { ...(shown ?? NOTHING), texts: [...(shown?.texts ?? []), ...hidden.texts], hidden: hidden.texts.map(({ id }) => id) };
}

function change(sessionId: string, state: SessionState, event: NewEvent, before: SessionProjection | null): Partial<SessionProjection> | null {
  switch (event.type) {
    case 'session.created': {
      const { title, metadata, archived = false } = event.data.settings;
      const texts = title === null ? [] : [{ id: sessionId, kind: 'title' as const, text: title }];
      return { metadata, archived, texts };
    }
    case 'session.configured': {
      const { title, metadata, archived } = event.data.changes;
      if (title === undefined && metadata === undefined && archived === undefined) return null;
      const texts = before?.texts ?? [];
      return {
        ...(title === undefined ? {} : { texts: [...texts, { id: sessionId, kind: 'title', text: title ?? '' }] }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(archived === undefined ? {} : { archived }),
      };
    }
    case 'session.titled':
      return { texts: [...(before?.texts ?? []), { id: sessionId, kind: 'title', text: event.data.title }] };
    case 'message.appended':
      return appended(event.data.message, before ?? NOTHING, textAt(state, event.data.message.uuid));
    case 'request.completed': {
      const { usage } = event.data;
      const total = before?.usage ?? state.usage;
      return {
        usage: {
          requests: total.requests + 1,
          inputTokens: total.inputTokens + (usage.input_tokens ?? 0),
          outputTokens: total.outputTokens + (usage.output_tokens ?? 0),
          cacheReadTokens: total.cacheReadTokens + (usage.cache_read_input_tokens ?? 0),
          cacheCreationTokens: total.cacheCreationTokens + (usage.cache_creation_input_tokens ?? 0),
        },
      };
    }
    case 'content.erased':
      return erased(sessionId, state, event.data);
    case 'session.rewound':
    case 'session.restored':
      return moved(state, event.data.from, event.data.to);
    default:
      return null;
  }
}

/** `replaced`: the text of the message when it had fewer lines; null: it had none, or was not there. It is the last one, unless the head moves first. */
function appended(message: StoredMessage, before: SessionProjection, replaced: string | null): Partial<SessionProjection> | null {
  const text = readerText(message);
  if (text === null) return null;
  const shown = preview(text, PREVIEW_CHARACTERS);
  const kind = message.type === 'assistant' ? 'assistant' : 'user';
  return {
    messages: before.messages + (replaced === null ? 1 : 0),
    firstText: before.firstText ?? shown,
    lastText: shown,
    texts: [...before.texts, { id: message.uuid, kind, text }],
  };
}

/** What is left of erased messages has no text for readers. */
function erased(sessionId: string, state: SessionState, { scope, events, untitled }: ContentErased): Partial<SessionProjection> {
  const title: SearchableText = { id: sessionId, kind: 'title', text: '' };
  if (scope === 'session') {
    const texts = [...state.messages.keys()].map((id): SearchableText => ({ id, kind: 'user', text: '' }));
    const messages = -conversationOf(state, state.head).messages;
    return { moved: true, messages, firstText: null, lastText: null, archived: true, metadata: {}, texts: [title, ...texts] };
  }
  const gone = new Set(events.flatMap(({ data }) => messageIn(data)));
  const before = conversationOf(state, state.head);
  const { messages, firstText, lastText } = conversationOf(state, state.head, gone);
  const texts = [...gone].map((id): SearchableText => ({ id, kind: 'user', text: '' }));
  return { moved: true, messages: messages - before.messages, firstText, lastText, texts: untitled ? [title, ...texts] : texts };
}

function messageIn(skeleton: Json): readonly string[] {
  const { uuid } = loose(loose(skeleton)['message']);
  return typeof uuid === 'string' ? [uuid] : [];
}

/** The head moved: what left the conversation, what returned to it, and its first and last text. */
function moved(state: SessionState, from: string | null, to: string | null): Partial<SessionProjection> {
  const after = new Set(path(state, to).map(({ message }) => message.uuid));
  const before = new Set(path(state, from).map(({ message }) => message.uuid));
  const hidden = [...before].filter((uuid) => !after.has(uuid));
  const shown = [...after].filter((uuid) => !before.has(uuid));
  const texts = (uuids: readonly string[]): number => uuids.filter((uuid) => textAt(state, uuid) !== null).length;
  const { firstText, lastText } = conversationOf(state, to);
  return { moved: true, messages: texts(shown) - texts(hidden), hidden, shown, firstText, lastText };
}

/** Number of texts of a conversation, the first and the last. */
export function conversationOf(
  state: SessionState,
  head: string | null,
  without: ReadonlySet<string> = new Set(),
): Pick<SessionProjection, 'messages' | 'firstText' | 'lastText'> {
  const texts = branch(state, head, null).flatMap(({ message }) => (without.has(message.uuid) ? [] : (readerText(message) ?? [])));
  const [first, last] = [texts[0], texts.at(-1)].map((text) => (text === undefined ? null : preview(text, PREVIEW_CHARACTERS)));
  return { messages: texts.length, firstText: first ?? null, lastText: last ?? null };
}

function textAt(state: SessionState, uuid: string): string | null {
  const message = state.messages.get(uuid)?.message;
  return message ? readerText(message) : null;
}
