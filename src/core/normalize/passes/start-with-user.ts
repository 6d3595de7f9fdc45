import type { Pass } from '../pass.js';
import { CONVERSATION_BEGINS } from '../placeholders.js';
import { made } from '../working-message.js';

/** `messages: first message must use the "user" role`: a greeting, or a summary, stored as the first message keeps its place behind a named placeholder. */
export const startWithUser: Pass = {
  name: 'start-with-user',
  reason: 'a conversation must begin with a user message',
  run: (messages) =>
    messages[0]?.kind === 'assistant' ? [{ kind: 'user', original: null, blocks: [made({ type: 'text', text: CONVERSATION_BEGINS })] }, ...messages] : messages,
};
