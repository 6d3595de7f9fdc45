import type { PayloadInput } from '../../../packages/normalizer/build-payload.js';
import type { Rule } from '../../../packages/normalizer/api-rules/index.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import type { PayloadMessage } from '../../../packages/normalizer/payload.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { text } from '../../support/normalize/build.js';

/** A conversation as somebody may hand it in, and all that becomes of it. */
export interface Case {
  /** What it shows, as a sentence about the payload. */
  readonly name: string;
  /** As a caller writes them: plain messages of the model API, or entries of a transcript. */
  readonly messages: readonly object[];
  readonly settings?: Partial<Pick<PayloadInput, 'gates' | 'model' | 'tools'>>;
  /** The turns of the payload, which alternate and begin with the user's. A string stands for a text block. */
  readonly sent: readonly (readonly (string | object)[])[];
  /** What the trace says of every block that was not kept as it was, as `toldOf` puts it. */
  readonly told: readonly string[];
  /** The reasons of blocks that were dropped, in their order; by default not compared. */
  readonly reasons?: readonly string[];
  /** What the model API would reject; by default nothing. */
  readonly problems?: readonly Rule[];
}

type Row = { readonly role: 'user' | 'assistant'; readonly content: string | readonly object[] };

const row = (role: Row['role'], content: readonly (string | object)[]): Row => {
  const [first, ...rest] = content;
  return { role, content: typeof first === 'string' && rest.length === 0 ? first : content.map(asBlock) };
};
const asBlock = (one: string | object): object => (typeof one === 'string' ? text(one) : one);

/** A single string is content as a string; anything else is blocks. */
export const user = (...content: readonly (string | object)[]): Row => row('user', content);
export const assistant = (...content: readonly (string | object)[]): Row => row('assistant', content);
export const hidden = (...content: readonly (string | object)[]): object => ({ ...user(...content), isVirtual: true });

/** An assistant message of which the client noted that it was never finished; the model API has no such member. */
export const cutShort = (why: string, ...content: readonly (string | object)[]): object => ({ ...assistant(...content), stopReason: why });

/** The messages that a case says are sent. */
export const turnsOf = ({ sent }: Case): readonly PayloadMessage[] =>
  sent.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: content.map(asBlock) }) as unknown as PayloadMessage);

/** What a trace says, without blocks that were kept: `message.block action pass > message.block of the payload`; `-` for what stands in no message. */
export function toldOf(trace: readonly TraceEntry[], messages: readonly Message[]): readonly string[] {
  const places = new Map(messages.map(({ uuid }, index) => [uuid, index]));
  const place = (source: TraceEntry['source']): string => (source ? `${places.get(source.uuid)}.${source.index}` : '-');
  return trace
    .filter(({ action }) => action !== 'kept')
    .map(({ source, action, pass, target }) => `${place(source)} ${action} ${pass}${target ? ` > ${target.message}.${target.block}` : ''}`);
}
