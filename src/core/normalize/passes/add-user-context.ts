import { REMINDER_CLOSE, REMINDER_OPEN } from '../../message/wire-texts.js';
import { wellFormed } from '../../message/well-formed.js';
import type { Pass, PassContext } from '../pass.js';
import { made, type Working } from '../working-message.js';

/** What the session wants the model to know stands in front of the first user turn, one section per entry. Last, so that no pass takes it for a message. */
export const addUserContext: Pass = {
  name: 'add-user-context',
  reason: "the session's context stands in front of the conversation",
  run: add,
};

function add(messages: Working, { userContext }: PassContext): Working {
  const sections = Object.entries(userContext).filter(([, text]) => text.trim() !== '');
  const [first, ...rest] = messages;
  if (first?.kind !== 'user' || sections.length === 0) return messages;
  const listed = sections.map(([name, text]) => `# ${name}\n${text}`).join('\n\n');
  const text = wellFormed(`${REMINDER_OPEN}\n${INTRODUCTION}\n\n${listed}\n${REMINDER_CLOSE}\n`);
  return [{ ...first, blocks: [made({ type: 'text', text }), ...first.blocks] }, ...rest];
}

const INTRODUCTION = 'Background for this conversation. Use it where it helps with what the user asks; do not answer it by itself.';
