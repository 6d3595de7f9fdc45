import type { Attachment } from './attachment.js';
import type { AttachmentMessage, Message } from './message.js';

/** Standing context: attachments of the server that every request contains. A source tells the model what is in force, and later only what has changed. */
export type StandingMessage = AttachmentMessage & { readonly standing: string };

export const isStanding = (message: Message): message is StandingMessage => message.type === 'attachment' && message.standing !== undefined;

/** The last message of each source, by its name. */
export function standingIn<M extends Message>(messages: readonly M[]): ReadonlyMap<string, M & StandingMessage> {
  const last = new Map<string, M & StandingMessage>();
  for (const message of messages) if (isStanding(message)) last.set(message.standing, message);
  return last;
}

/** What the model was last told by each source, by its name. */
export function toldIn(messages: readonly Message[]): ReadonlyMap<string, Attachment> {
  return new Map([...standingIn(messages)].map(([name, { attachment }]) => [name, attachment]));
}
