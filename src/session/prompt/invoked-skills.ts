import { blocksOf, type Content } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { withdrawnIn } from '../../../packages/protocol/message/withdrawn.js';
import { cutToBytes, utf8Length } from '../../../packages/protocol/message/text.js';

/** Limits in bytes of UTF-8: for one skill, and for all together. */
export const MAX_INVOKED_SKILL_BYTES = 5 * 1024;
export const MAX_INVOKED_SKILLS_BYTES = 25 * 1024;

export interface InvokedSkill {
  readonly name: string;
  /** The text of its last call, cut to the limit. */
  readonly text: string;
}

/** The skills called in these messages, most recent first, as many as fit; a compaction carries them over. */
export function invokedSkills(messages: readonly StoredMessage[]): readonly InvokedSkill[] {
  const calls = new Map<string, { readonly [key: string]: unknown }>();
  const wanted = new Set<unknown>();
  const withdrawn = withdrawnIn(messages);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.type !== 'attachment' || message.attachment.type !== 'command_permissions' || withdrawn.has(message.uuid)) continue;
    const { skill, body } = message.attachment;
    if (typeof skill !== 'string' || calls.has(skill)) continue;
    calls.set(skill, message.attachment);
    wanted.add(body);
  }
  const bodies = new Map(
    messages.flatMap((message) => (message.type === 'user' && wanted.has(message.uuid) ? [[message.uuid, firstText(message.content)] as const] : [])),
  );
  const found: InvokedSkill[] = [];
  let left = MAX_INVOKED_SKILLS_BYTES;
  for (const [name, { body, text: stored }] of calls) {
    const whole = typeof stored === 'string' ? stored : bodies.get(String(body));
    if (whole === undefined) continue;
    const text = cutToBytes(whole, MAX_INVOKED_SKILL_BYTES);
    left -= utf8Length(text);
    if (left < 0) break;
    found.push({ name, text });
  }
  return found;
}

/** The skill's text; blocks after it came with the prompt. */
function firstText(content: Content): string {
  const first = blocksOf(content)[0];
  return first?.type === 'text' ? first.text : '';
}
