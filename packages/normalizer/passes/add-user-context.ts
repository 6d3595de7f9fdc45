import { REMINDER_CLOSE, REMINDER_OPEN } from '../../protocol/message/wire-texts.js';
import { wellFormed } from '../../protocol/message/well-formed.js';
import type { Pass, PassContext } from '../pass.js';
import { added, type Working } from '../working-message.js';

/** The context of the session precedes the first user turn, one section per entry. Needs every pass that changes user turns to have run, so that none mistakes it for a message. */
export const addUserContext: Pass = {
  name: 'add-user-context',
  reason: 'the context of the session precedes the conversation',
  apply: add,
};

function add(messages: Working, { userContext }: PassContext): Working {
  const sections = Object.entries(userContext).filter(([, text]) => text.trim() !== '');
  const [first, ...rest] = messages;
  if (first?.kind !== 'user' || sections.length === 0) return messages;
  const listed = sections.map(([name, text]) => `# ${name}\n${text}`).join('\n\n');
  const text = wellFormed(`${REMINDER_OPEN}\n${INTRODUCTION}\n\n${listed}\n${REMINDER_CLOSE}\n`);
  return [{ ...first, blocks: [added({ type: 'text', text }), ...first.blocks] }, ...rest];
}

const INTRODUCTION = 'Background for this conversation. Use it where it helps with what the user asks; do not answer it by itself.';
