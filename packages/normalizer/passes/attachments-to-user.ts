import { reminder as reminderOf, REMINDER_OPEN } from '../../protocol/message/wire-texts.js';
import { isBlank } from '../../protocol/message/unknown-json.js';
import { type ContentBlock, textOf } from '../../protocol/message/content.js';
import { renderAttachment } from '../attachment-text.js';
import { isSystemMessage } from './reorder-attachments.js';
import { renderedContent } from '../rendered-attachment.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { changed, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * The model API has no attachments: each becomes user content, by its type; types for readers or for the permission system become nothing. Text that the user
 * did not write is wrapped in `<system-reminder>` tags. Needs `reorder-attachments`: after this pass attachments are ordinary user messages.
 */
export const attachmentsToUser: Pass = {
  name: 'attachments-to-user',
  reason: {
    changed: 'an attachment is sent as user content',
    moved: 'an attachment is sent as user content of several blocks',
    dropped: 'an attachment of this type, or without content, is not sent to the model',
  },
  ...perMessage(asUser),
};

function asUser(message: WorkingMessage, { gates, profile }: PassSettings): WorkingMessage | null {
  const { original, blocks } = message;
  const [source] = blocks;
  if (message.kind !== 'attachment' || original?.type !== 'attachment' || !source) return message;
  const isStanding = original.standing !== undefined;
  const rendered = isStanding ? null : renderedContent(original);
  const { content, fromUser } = rendered ? { content: rendered, fromUser: true } : renderAttachment(original.attachment, isStanding);
  if (content.length === 0) return null;
  if (isSystemMessage(original)) {
    const said = content.filter((block) => block.type !== 'text' || !isBlank(block.text));
    return said.length === 0 ? null : { kind: 'user', original, blocks: said.map((block) => ofSystem(changed(source, block), profile.systemRole)) };
  }
  if (rendered) return { kind: 'user', original, blocks: content.map((block) => changed(source, block)) };
  const folds = gates['system-reminder-folding'];
  const sent = fromUser ? (folds ? asOneReminder(content) : content) : content.map(reminder);
  const { toolUseId } = original.attachment;
  const about = typeof toolUseId === 'string' ? { about: toolUseId } : {};
  return { kind: 'user', original, blocks: sent.map((block) => ({ ...changed(source, block), ...about })) };
}

/** What a person wrote stays together: one reminder, which moves into a result as a whole, or nothing of it, because images and documents do not move. */
function asOneReminder(content: readonly ContentBlock[]): readonly ContentBlock[] {
  if (!content.every(({ type }) => type === 'text')) return content;
  return [reminder({ type: 'text', text: textOf(content) })];
}

/** A message of the role `system` has text only (docs: Mid-conversation system messages). */
function ofSystem(block: WorkingBlock, takesRole: boolean): WorkingBlock {
  const reminded = changed(block, reminder(block.block));
  return takesRole && block.block.type === 'text' ? { ...reminded, system: reminded.block === block.block ? 'as-it-is' : 'without-tags' } : reminded;
}

function reminder(block: ContentBlock): ContentBlock {
  if (block.type !== 'text' || typeof block.text !== 'string' || block.text.startsWith(REMINDER_OPEN)) return block;
  return { ...block, text: reminderOf(block.text) };
}
