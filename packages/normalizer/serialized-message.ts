import type { PayloadMessage } from './payload.js';

/** A message of a payload as it is compared. */
export interface SerializedMessage {
  readonly message: PayloadMessage;
  /** Digest of the message before it; empty for the first. */
  readonly before: string;
  /** Digest of `before` and the message as JSON: equal digests mean equal conversations up to and including this message. */
  readonly digest: string;
}

/** Same role and the same block objects. */
export function isSameMessage(one: PayloadMessage, other: PayloadMessage): boolean {
  return (
    one === other ||
    (one.role === other.role && one.content.length === other.content.length && one.content.every((block, index) => block === other.content[index]))
  );
}
