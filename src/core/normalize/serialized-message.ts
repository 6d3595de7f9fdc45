import type { PayloadMessage } from './payload.js';

/** A message of a payload as it is sent and compared. */
export interface SerializedMessage {
  readonly message: PayloadMessage;
  /** The digest of the message before it; empty before the first. */
  readonly before: string;
  /** The message as JSON. */
  readonly text: string;
  /** Of `before` and `text`: equal only where everything up to here is. */
  readonly digest: string;
}

/** The same objects, so nothing in them differs. */
export function isSameMessage(one: PayloadMessage, other: PayloadMessage): boolean {
  return one.role === other.role && one.content.length === other.content.length && one.content.every((block, index) => block === other.content[index]);
}
