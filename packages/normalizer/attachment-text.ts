import { OMITTED } from '../protocol/message/attachment.js';
import type { ContentBlock, Json } from '../protocol/message/content.js';
import type { AttachmentMessage } from '../protocol/message/message.js';
import { hasKindText, kindText } from './attachment-kinds.js';
import { isBlank, isObject } from '../protocol/message/unknown-json.js';

type Attachment = AttachmentMessage['attachment'];

export interface RenderedAttachment {
  /** Empty: the attachment is not sent. */
  readonly content: readonly ContentBlock[];
  /** Whether a person wrote the text; false for text of the system, the editor or a hook. */
  readonly fromUser: boolean;
}

/** Types meant for readers or for the permission system only. */
const NOT_FOR_THE_MODEL: ReadonlySet<string> = new Set([
  'command_permissions',
  'hook_cancelled',
  'hook_non_blocking_error',
  'hook_error_during_execution',
  'hook_system_message',
  'hook_permission_decision',
  'already_read_file',
  'dynamic_skill',
  'structured_output',
  OMITTED,
]);

/** `isStanding`: the server wrote it as standing context. */
export function renderAttachment(attachment: Attachment, isStanding = false): RenderedAttachment {
  const { type } = attachment;
  if (NOT_FOR_THE_MODEL.has(type) || (type === 'hook_success' && !addsContext(attachment))) return { content: [], fromUser: false };
  if (type === 'queued_command') return { content: queuedCommand(attachment), fromUser: true };
  const text = type.startsWith('hook_')
    ? hookText(attachment)
    : ((Object.hasOwn(TEXTS, type) ? TEXTS[type]?.(attachment) : kindText(attachment, isStanding)) ?? listing(attachment));
  return { content: isBlank(text) ? [] : [{ type: 'text', text }], fromUser: false };
}

/** Whether `renderAttachment` has its own rendering for this type; any other is listed by its members. */
export const isKnownKind = (type: string): boolean =>
  NOT_FOR_THE_MODEL.has(type) || type === 'queued_command' || type.startsWith('hook_') || Object.hasOwn(TEXTS, type) || hasKindText(type);

/** A prompt submitted during a turn and sent within it. */
function queuedCommand({ prompt }: Attachment): readonly ContentBlock[] {
  const blocks = Array.isArray(prompt)
    ? (prompt.filter((block) => isObject(block) && typeof block['type'] === 'string') as unknown as readonly ContentBlock[])
    : [];
  const text = typeof prompt === 'string' ? prompt : '';
  if (isBlank(text) && blocks.length === 0) return [];
  return [{ type: 'text', text: `While you were working, the user wrote:${isBlank(text) ? '' : `\n${text}`}` }, ...blocks];
}

/** The output of a successful hook is context for the model at these two events; at others it is for readers. */
function addsContext({ hookEvent, hookName }: Attachment): boolean {
  const event = typeof hookEvent === 'string' ? hookEvent : String(hookName).split(':')[0];
  return event === 'SessionStart' || event === 'UserPromptSubmit';
}

function hookText(attachment: Attachment): string {
  const name = textOf(attachment['hookName'] ?? attachment['hookEvent'] ?? null);
  const error = attachment['blockingError'] ?? null;
  const text = textOf(attachment['content'] ?? (isObject(error) ? ((error['blockingError'] ?? error) as Json) : error) ?? attachment['message'] ?? null);
  if (isBlank(text)) return '';
  const label = attachment.type === 'hook_additional_context' ? 'hook additional context' : attachment.type.replaceAll('_', ' ');
  return [name, `${label}: ${text}`].filter((part) => part !== '').join(' ');
}

/** Types rendered as a sentence instead of a list of members. */
const TEXTS: Readonly<Record<string, (attachment: Attachment) => string>> = {
  current_date: ({ date, timeZone }) => (isBlank(date) ? '' : `Today is ${textOf(date ?? null)}${inZone(timeZone)}.`),
  git_status: ({ content }) =>
    isBlank(content) ? '' : `The git status of the session's folder at this point of the conversation; it is not updated:\n${textOf(content ?? null)}`,
  date_change: ({ newDate, timeZone }) => (isBlank(newDate) ? '' : `The date has changed. Today is ${textOf(newDate ?? null)}${inZone(timeZone)}.`),
  invoked_skills: ({ skills }) => {
    const texts = Array.isArray(skills)
      ? skills.flatMap((skill) => (isObject(skill) ? [`# ${textOf(skill['name'] as Json)}\n\n${textOf(skill['text'] as Json)}`] : []))
      : [];
    return texts.length === 0 ? '' : ['Skills that were called earlier in this conversation and still apply, the last one first:', ...texts].join('\n\n');
  },
  opened_file_in_ide: ({ filename }) => `The user has opened the file ${textOf(filename ?? null)} in the editor. It may or may not matter here.`,
};

const inZone = (timeZone: Json | undefined): string => (isBlank(timeZone) ? '' : ` in the time zone ${textOf(timeZone ?? null)}`);

/** Any other type: its name, then its members, so that everything a client sends reaches the model. */
function listing(attachment: Attachment): string {
  const { type, ...members } = attachment;
  const lines = Object.entries(members).map(([name, value]) => {
    const text = textOf(value);
    return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
  });
  return [`Attached: ${type.replaceAll('_', ' ')}`, ...lines].join('\n');
}

/** Text as it is, a list of texts one per line, anything else as JSON. */
function textOf(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n');
  return JSON.stringify(value);
}
