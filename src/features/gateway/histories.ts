import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { shortDigest } from './body-parts.js';
import { keyOf, type SentMessage } from './sent-conversation.js';

type Keyed = Pick<SentMessage, 'key' | 'role'>;

/** A conversation up to an answer in it. */
export interface AnsweredHistory {
  readonly digest: string;
  /** How many messages it has. */
  readonly messages: number;
}

const withNext = (before: string, key: string): string => shortDigest(`${before} ${key}`);

/** The digest of a whole conversation: the same in every process, and for each way in which clients write its messages. */
export const historyOf = (messages: readonly Keyed[]): string => messages.reduce((before, { key }) => withNext(before, key), '');

/** The digest of the conversation `before` with an answer to it. */
export const historyWith = (before: string, answer: UnknownObject): string => withNext(before, keyOf({ role: 'assistant', content: answer['content'] }));

/** The conversation up to each of its last `limit` answers, the longest first. */
export function answeredHistories(messages: readonly Keyed[], limit: number): readonly AnsweredHistory[] {
  const found: AnsweredHistory[] = [];
  let digest = '';
  for (const [index, { key, role }] of messages.entries()) {
    digest = withNext(digest, key);
    if (role === 'assistant') found.push({ digest, messages: index + 1 });
  }
  return found.slice(-limit).reverse();
}
