import type { Message } from './message.js';

/** Uuids of the messages that a later note takes back. */
export function withdrawnIn(messages: Iterable<Message>): ReadonlySet<string> {
  const withdrawn = new Set<string>();
  for (const message of messages) if (message.type === 'system' && Array.isArray(message.withdraws)) for (const uuid of message.withdraws) withdrawn.add(uuid);
  return withdrawn;
}
