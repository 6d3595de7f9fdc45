import { eachItem, endOfValue } from '../../../packages/protocol/message/json-scan.js';
import { MAX_CACHE_MARKERS } from '../../../packages/normalizer/models/profiles.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { joinBody, splitBody, withinMarkers } from './message-texts.js';

/** A member of a body as it is written: its name begins at `from`, its value at `at` and ends before `end`. */
interface Member {
  readonly name: string;
  readonly from: number;
  readonly at: number;
  readonly end: number;
}

/** Members that a thread keeps from its first request on. */
const KEPT = ['system', 'tools'];
/** Members that have the same value in all requests of a thread. */
const SAME = [...KEPT, 'model'];

/** The body without its member `thread`, all other bytes as they are. The text must be JSON, and an object. Throws invalid_input when a member stands twice, because another server may read the other one. */
export function withoutThread(text: string): string {
  const members = membersOf(text);
  const index = members.findIndex(({ name }) => name === 'thread');
  const thread = members[index];
  if (!thread) return text;
  const [before, after] = [members[index - 1], members[index + 1]];
  return before ? text.slice(0, before.end) + text.slice(thread.end) : text.slice(0, thread.from) + text.slice(after?.from ?? thread.end);
}

/** Names of the members that may not differ and do. `earlier`: the body that was sent before; `next`: the request that continues it. */
export function changedMembers(earlier: string, next: string): readonly string[] {
  const [before, now] = [membersOf(earlier), membersOf(next)];
  const valueIn = (text: string, members: readonly Member[], wanted: string): string | undefined => {
    const member = members.find(({ name }) => name === wanted);
    return member && JSON.stringify(JSON.parse(text.slice(member.at, member.end)));
  };
  return SAME.filter((name) => {
    const value = valueIn(next, now, name);
    return value !== undefined && value !== valueIn(earlier, before, name);
  });
}

/**
 * What a client that has the whole conversation would send: the messages of the earlier body as they are written, the answer, and the messages of `next`; `system` and `tools` of the earlier body, all other
 * members of `next`. Members stand in the order of the earlier body, so that the text begins with the same bytes as that one, if no member differs. `answer`: the answer to the earlier request as a message;
 * null: it had no content. Cache markers are taken from the oldest messages when there are more than a request may have.
 */
export function continuedText({ earlier, answer, next }: { readonly earlier: string; readonly answer: string | null; readonly next: string }): string {
  const [before, now] = [membersOf(earlier), membersOf(next)];
  const sent = new Map(now.map((member) => [member.name, member]));
  const place = now.findIndex(({ name }) => name === 'messages');
  const known = new Set(before.map(({ name }) => name));
  const added = now.flatMap((member, index) => (known.has(member.name) || member.name === 'thread' ? [] : [{ ...member, index }]));
  let end = earlier.indexOf('{') + 1;
  let text = earlier.slice(0, end);
  let isFirst = true;
  const put = (written: string): void => {
    const bare = written.replace(/^[ \t\n\r]*,/, '');
    text += isFirst ? bare : bare === written ? `,${written}` : written;
    isFirst = false;
  };
  for (const member of before) {
    const name = earlier.slice(end, member.at);
    end = member.end;
    const own = sent.get(member.name);
    if (member.name === 'messages') {
      for (const one of added) if (one.index < place) put(next.slice(one.from, one.end));
      put(name + joinedMessages(earlier.slice(member.at, member.end), answer, next.slice(own!.at, own!.end)));
    } else if (KEPT.includes(member.name)) put(name + earlier.slice(member.at, member.end));
    else if (own) put(name + next.slice(own.at, own.end));
  }
  for (const one of added) if (one.index > place) put(next.slice(one.from, one.end));
  return withFewMarkers(text + earlier.slice(end));
}

/** Two lists as JSON with a message between them, as one. */
function joinedMessages(earlier: string, answer: string | null, next: string): string {
  const [first, last] = [itemsIn(earlier), itemsIn(next)];
  const more = [...(answer === null ? [] : [answer]), ...(last === null ? [] : [next.slice(last.from, last.to)])];
  return `${[first === null ? '[' : earlier.slice(0, first.to), ...more.map((one, index) => (first === null && index === 0 ? one : `,${one}`))].join('')}]`;
}

/** From where to where the items of a list stand; null: it has none. */
function itemsIn(list: string): { readonly from: number; readonly to: number } | null {
  let from: number | null = null;
  let to = 0;
  eachItem(list, 0, ({ at }) => {
    from ??= at;
    to = endOfValue(list, at);
    return to;
  });
  return from === null ? null : { from, to };
}

function withFewMarkers(text: string): string {
  if (text.split('"cache_control"').length - 1 <= MAX_CACHE_MARKERS) return text;
  const body = splitBody(text);
  const messages = withinMarkers(JSON.parse(text) as UnknownObject, body.messages);
  return messages === body.messages ? text : joinBody(body, messages);
}

function membersOf(text: string): readonly Member[] {
  const members: Member[] = [];
  const names = new Set<string>();
  eachItem(text, text.indexOf('{'), ({ name, from, at }) => {
    const end = endOfValue(text, at);
    if (names.has(name!)) throw new DomainError('invalid_input', `The request has the member ${JSON.stringify(name).slice(0, 100)} twice.`);
    names.add(name!);
    members.push({ name: name!, from, at, end });
    return end;
  });
  return members;
}
