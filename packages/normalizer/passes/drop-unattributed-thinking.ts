import type { Pass, Signatures } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingMessage } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';
import { withCallsLast } from './tool-calls-last.js';

/**
 * `The block is bound to a different conversation`: on models with preserved thinking a signature is valid only under the request that it was made in (see
 * `drop-detached-thinking`). Of an answer that no request of this log has made, such as that of an imported file, that request is unknown: its thinking may be
 * valid or not, and one invalid block fails the request.
 */
export const dropUnattributedThinking: Pass = {
  name: 'drop-unattributed-thinking',
  reason:
    'its answer was not made by a request of this session, as an imported one: what preceded its signature is not known, and this model refuses thinking after anything else',
  apply: (messages, { profile, signatures }) =>
    profile.preservedThinking && signatures ? mapped(messages, unlessUnattributed, signatures.prefixes) : messages,
};

function unlessUnattributed(message: WorkingMessage, prefixes: Signatures['prefixes']): WorkingMessage {
  if (message.kind !== 'assistant' || Object.hasOwn(prefixes, answerOf(message)) || !message.blocks.some(isThinking)) return message;
  // Removed thinking may have been the reason to keep a call before a text.
  return withCallsLast(
    withBlocks(
      message,
      message.blocks.filter((block) => !isThinking(block)),
    ),
  );
}

/** The uuid of the answer whose signatures a message can hold. */
export const answerOf = ({ blocks }: WorkingMessage): string => blocks[0]?.sources[0]?.uuid ?? '';
