import type { Event } from './api.js';
import type { TranscriptMessage } from './transcript.js';

type Appended = Extract<Event, { type: 'message.appended' }>;

/**
 * The message of an event as the transcript shows it, with its author. Undefined: the server has to be asked, since the message may be for the model only, or its
 * author is not in the events that this client has received.
 *
 * `authorOfPrompt`: the user who submitted a prompt; undefined when that is not known.
 */
export function shownMessage({ data, actor }: Appended, authorOfPrompt: (promptId: string) => string | undefined): TranscriptMessage | undefined {
  const { message, promptId } = data;
  if (message.type === 'assistant') {
    return { ...message, by: message.isApiErrorMessage ? { kind: 'system' } : { kind: 'model', id: message.message.model } } as TranscriptMessage;
  }
  if (message.type !== 'user' && message.type !== 'system') return undefined;
  if (message.type === 'user' && (message.isMeta || message.isInterruption)) return undefined;
  const user = promptId === undefined ? (actor.kind === 'user' ? actor.id : null) : authorOfPrompt(promptId);
  if (user === undefined) return undefined;
  const isOfUser = user !== null && (message.type === 'user' || message.subtype === 'local_command');
  return { ...message, by: isOfUser ? { kind: 'user', id: user } : { kind: 'system' } } as TranscriptMessage;
}
