import type { Pass } from '../pass.js';
import { CONVERSATION_BEGINS } from '../placeholders.js';
import { added } from '../working-message.js';

/** `messages: first message must use the "user" role`: an answer stored as the first message, such as a greeting, follows a placeholder. */
export const startWithUser: Pass = {
  name: 'start-with-user',
  reason: 'a conversation must begin with a user message',
  apply: (messages, { continues }) =>
    messages[0]?.kind === 'assistant' && !continues
      ? [{ kind: 'user', original: null, blocks: [added({ type: 'text', text: CONVERSATION_BEGINS })] }, ...messages]
      : messages,
};
