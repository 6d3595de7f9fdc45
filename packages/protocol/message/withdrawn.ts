import type { Message } from './message.js';

/** Uuids of the messages that a later note takes back, or a later answer. */
export function withdrawnIn(messages: Iterable<Message>): ReadonlySet<string> {
  const withdrawn = new Set<string>();
  for (const message of messages) if (withdraws(message) && Array.isArray(message.withdraws)) for (const uuid of message.withdraws) withdrawn.add(uuid);
  return withdrawn;
}

type Withdrawing = Extract<Message, { readonly withdraws?: readonly string[] }> & { readonly withdraws: readonly string[] };

/** Whether a message takes others back. */
export const withdraws = (message: Message): message is Withdrawing =>
  (message.type === 'system' || message.type === 'assistant') && message.withdraws !== undefined;
