import { blocksOf, type ContentBlock } from '../../../packages/protocol/message/content.js';
import type { StoredMessage, UserMessage } from '../../../packages/protocol/message/message.js';

/** Attachments for the model or the permission rules only. Any other type, including one that a client made up, is for readers too. */
const HIDDEN_ATTACHMENTS: ReadonlySet<string> = new Set([
  'command_permissions',
  'skill_listing',
  'memory_listing',
  'invoked_skills',
  'memory',
  'nested_memory',
  'relevant_memories',
  'current_date',
  'date_change',
  'git_status',
  'output_style',
  'plan_mode',
  'plan_mode_exit',
  'permission_mode',
  'compact_file_reference',
  'already_read_file',
  // Of session files of Claude Code: the request's own configuration.
  'prompt_snapshot',
  'environment',
  'model',
  'instructions',
  'credential_org',
]);

const isResult = ({ type }: ContentBlock): boolean => type === 'tool_result';

/** A message as readers see it; null when it is for the model only. Of a message for the model (`isMeta`) readers see the results of tool calls. */
export function asVisible<M extends StoredMessage>(message: M): M | null {
  if (message.type === 'attachment') return HIDDEN_ATTACHMENTS.has(message.attachment.type) ? null : message;
  if (message.type !== 'user' || !message.isMeta) return message;
  const results = blocksOf(message.content).filter(isResult);
  if (results.length === 0) return null;
  const { isMeta: _, ...rest } = message as StoredMessage as UserMessage;
  return { ...rest, content: results } as StoredMessage as M;
}
