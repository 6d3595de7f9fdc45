import { saidFirstIn, SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { utf8Length } from '../../../packages/protocol/message/text.js';
import { withdrawnIn } from '../../../packages/protocol/message/withdrawn.js';

/** Bytes of UTF-8 of all system messages that a compaction carries over. */
export const MAX_CARRIED_INSTRUCTIONS_BYTES = 25 * 1024;

/** A system message of an earlier part of the conversation. */
export interface CarriedInstruction {
  readonly content: string;
  /** Uuid of the message that has said it first, with which it is erased. */
  readonly of: string;
}

/**
 * What the operator has said in these messages and what still applies, oldest first: each text once, where it was said last. The newest that fit; earlier ones are a part
 * of the conversation that is summarized. `kept`: the messages that follow the summary as they are, of which nothing is carried over.
 */
export function instructionsToCarry(branch: readonly StoredMessage[], kept: readonly StoredMessage[]): readonly CarriedInstruction[] {
  const withdrawn = withdrawnIn(branch);
  const said = new Set(kept.flatMap((message) => textOf(message) ?? []));
  const found: CarriedInstruction[] = [];
  let left = MAX_CARRIED_INSTRUCTIONS_BYTES;
  for (let at = branch.length - 1; at >= 0 && left > 0; at -= 1) {
    const message = branch[at]!;
    const content = textOf(message);
    if (content === null || said.has(content) || withdrawn.has(message.uuid)) continue;
    said.add(content);
    left -= utf8Length(content);
    if (left >= 0) found.push({ content, of: saidFirstIn(message) });
  }
  return found.reverse();
}

function textOf(message: StoredMessage): string | null {
  if (message.type !== 'attachment' || message.attachment.type !== SYSTEM_MESSAGE) return null;
  const { content } = message.attachment;
  return typeof content === 'string' && content.trim() !== '' ? content : null;
}
