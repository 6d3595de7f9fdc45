import { standIn } from './problem.js';
import { isObject, textOf, type Stage } from './parsed-request.js';
import { isServerCall, isServerResult } from './server-tools.js';

/** A trailing assistant message is a prefill that the model continues (docs: Errors, "Prefill not supported"). */
export const trailing: Stage = ({ body, messages, profile }, report) => {
  const last = messages.at(-1);
  const block = last?.blocks.at(-1);
  if (last?.role !== 'assistant') return;
  const at = `messages.${last.index}`;
  // A turn that ended with `pause_turn` is resumed by sending it back unchanged (docs: Handling stop reasons).
  if (last.blocks.some(({ type }) => isServerCall(type)) && (isServerCall(block?.type ?? '') || isServerResult(block?.type ?? ''))) return;
  if (!profile.prefill) {
    const text = 'This model does not support assistant message prefill. The conversation must end with a user message.';
    report({ rule: 'prefill-not-supported', at, text });
    return;
  }
  if (isObject(body['thinking']) && body['thinking']['type'] === 'enabled') {
    report({
      rule: 'prefill-with-thinking',
      at,
      text: standIn(`${at}: a final assistant message cannot be continued when thinking is enabled`),
    });
  }
  if (block?.type === 'text' && /\s$/.test(textOf(block.value['text']))) {
    const text = 'messages: final assistant content cannot end with trailing whitespace';
    report({ rule: 'prefill-trailing-whitespace', at: block.at, text });
  }
};
