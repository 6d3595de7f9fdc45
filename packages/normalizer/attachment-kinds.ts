import { SYSTEM_MESSAGE } from '../protocol/message/attachment.js';
import type { Json } from '../protocol/message/content.js';
import type { AttachmentMessage } from '../protocol/message/message.js';
import { isBlank, isObject } from '../protocol/message/unknown-json.js';

type Attachment = AttachmentMessage['attachment'];

/** The text of an attachment of a known type; null when the type is unknown or a required member is missing: attachments come from outside and may hold anything. */
export function kindText(attachment: Attachment, isStanding = false): string | null {
  const { type } = attachment;
  return Object.hasOwn(KINDS, type) ? (KINDS[type]?.(attachment, isStanding) ?? null) : null;
}

export const hasKindText = (type: string): boolean => Object.hasOwn(KINDS, type);

const KINDS: Readonly<Record<string, (attachment: Attachment, isStanding: boolean) => string | null>> = {
  [SYSTEM_MESSAGE]: ({ content }) => text(content),
  selected_lines_in_ide: selection,
  ide_selection: selection,
  opened_file: (attachment) => sentence`The user has opened the file ${fileOf(attachment)} in the editor. It may or may not matter here.`,
  edited_text_file: (attachment) => {
    const snippet = text(attachment['snippet']);
    return sentence`The file ${fileOf(attachment)} was changed by the user or by a program, and not by mistake. Take the change as it is.${snippet === null ? '' : `\nThe lines around it now:\n${snippet}`}`;
  },
  file: (attachment) => {
    const { content } = attachment;
    const file = isObject(content) && isObject(content['file']) ? (content['file'] as Members) : isObject(content) ? (content as Members) : attachment;
    const cut = attachment['truncated'] === true ? '\n[The file is longer; this is its beginning]' : '';
    return sentence`The user named the file ${fileOf(attachment)}. It holds:\n${text(file['content'])}${cut}`;
  },
  directory: (attachment) => sentence`The user named the folder ${fileOf(attachment)}. It holds:\n${text(attachment['content'])}`,
  mention,
  agent_mention: mention,
  mcp_resource: (attachment) => {
    const named = sentence`The user named the resource ${text(attachment['uri']) ?? text(attachment['name'])} of ${text(attachment['server'])}.`;
    const error = text(attachment['error']);
    return error === null ? sentence`${named} It holds:\n${text(attachment['content'])}` : sentence`${named} It could not be read: ${error}`;
  },
  diff,
  git_diff: diff,
  todo: todos,
  todo_list: todos,
  todo_reminder: todos,
  task_reminder: todos,
  diagnostics: (attachment) => {
    const found = objects(attachment['files'] ?? attachment['diagnostics']).flatMap((file) =>
      Array.isArray(file['diagnostics']) ? objects(file['diagnostics']).map((one) => [file, one] as const) : [[file, file] as const],
    );
    const lines = found.flatMap(([file, { severity, message, range }]) => {
      const content = text(message);
      if (content === null) return [];
      const start = isObject(range) && isObject(range['start']) ? (range['start'] as Members)['line'] : undefined;
      return [
        `${[fileOf(file), typeof start === 'number' ? `line ${start + 1}` : null, text(severity)].filter((part) => part !== null).join(', ')}: ${content}`,
      ];
    });
    return lines.length === 0 ? null : `The editor reports:\n${lines.join('\n')}`;
  },
  memory: (attachment, isStanding) => {
    const content = attachment['content'];
    const file = fileOf(attachment);
    // The server alone speaks for those who run the place.
    const isOfTenant = isStanding && attachment['source'] === 'tenant';
    if (typeof content !== 'string') return null;
    if (file === null && !isOfTenant) return sentence`What was remembered from earlier conversations and may matter here:\n${text(content)}`;
    const from = isOfTenant ? 'from those who run this place' : `from the file ${file}`;
    if (content.trim() === '') return `The instructions ${from} no longer apply.`;
    return `Instructions ${from}, to be followed in this whole conversation; they take the place of any earlier ones from there:\n${content}`;
  },
  nested_memory: (attachment) => {
    const { content } = attachment;
    return sentence`Instructions from the file ${fileOf(attachment)}:\n${isObject(content) ? text((content as Members)['content']) : text(content)}`;
  },
  relevant_memories: (attachment) => {
    const found = objects(attachment['memories']).flatMap((memory) => sentence`## ${fileOf(memory)}\n${text(memory['content'])}` ?? []);
    return found.length === 0 ? null : `What was remembered from earlier conversations and may matter here:\n${found.join('\n')}`;
  },
  memory_listing: (attachment, isStanding) => {
    const lines = objects(attachment['files']).map(({ path, bytes, version }) => `${String(bytes)} bytes, version ${String(version)}: ${String(path)}`);
    const { userId, omitted, isChange } = attachment;
    if (!isStanding) return null; // the server alone speaks for the memory
    if (userId === null) return 'There is no memory directory in this conversation any more.';
    if (lines.length === 0 && omitted === 0)
      return isChange ? 'The memory directory has changed: it is empty now.' : 'The memory directory /memories is empty.';
    const more = omitted === 0 ? [] : [`and ${String(omitted)} more: view /memories`];
    const opening = isChange ? 'The memory directory has changed. The files in it are now:' : 'The files in the memory directory /memories:';
    return [opening, ...lines, ...more].join('\n');
  },
  skill_listing: (attachment) => {
    const skills = objects(attachment['skills']).flatMap((skill) => {
      const name = text(skill['name']);
      return name === null ? [] : [`- ${name}${isBlank(skill['description']) ? '' : `: ${String(skill['description'])}`}`];
    });
    if (Array.isArray(attachment['skills']))
      return skills.length === 0 ? 'There are no skills to call any more.' : `Skills that can be called with the Skill tool:\n${skills.join('\n')}`;
    return sentence`Skills that can be called with the Skill tool:\n${text(attachment['content'])}`;
  },
  plan_mode: (attachment) => {
    const plan = text(attachment['planFilePath']);
    return `Plan mode is on: look, think, and answer with a plan; change nothing until the user has agreed to it.${plan === null ? '' : ` The plan belongs in ${plan}.`}`;
  },
  plan_mode_exit: () => 'Plan mode is over: changes may be made again.',
  permission_mode: (attachment) => sentence`The permission mode is now ${text(attachment['mode']) ?? text(attachment['permissionMode'])}.`,
  output_style: (attachment) => sentence`Answer in the style that is called ${text(attachment['style'])}.`,
  compact_file_reference: (attachment) =>
    sentence`The file ${fileOf(attachment)} was read before the conversation was summed up; what it held is too long to be repeated. Read it again if it matters.`,
};

type Members = { readonly [key: string]: Json };

/** The template with its parts inserted; null when one of the parts is null. */
function sentence(template: TemplateStringsArray, ...parts: readonly (string | null)[]): string | null {
  return parts.some((part) => part === null) ? null : String.raw({ raw: template }, ...parts);
}

function selection(attachment: Attachment): string | null {
  const { lineStart, lineEnd } = attachment;
  const content = text(attachment['content']) ?? text(attachment['text']);
  const lines = typeof lineStart === 'number' ? ` lines ${lineStart}${typeof lineEnd === 'number' ? ` to ${lineEnd}` : ''} of` : '';
  const from = fileOf(attachment);
  return sentence`The user has selected${from === null ? ' some text' : `${lines === '' ? ' text in' : lines} ${from}`} in the editor. It may or may not matter here:\n${content}`;
}

function mention(attachment: Attachment): string | null {
  const name = text(attachment['agentType']) ?? text(attachment['name']);
  const content = text(attachment['content']);
  return content === null ? sentence`The user wants ${name} to be used for this.` : sentence`The user named ${name ?? fileOf(attachment)}:\n${content}`;
}

function diff(attachment: Attachment): string | null {
  const name = fileOf(attachment);
  return sentence`Changes${name === null ? ' that are not committed yet' : ` in ${name}`}, as a diff:\n${text(attachment['diff']) ?? text(attachment['content'])}`;
}

function todos(attachment: Attachment): string | null {
  const listed = [attachment['todos'], attachment['items'], attachment['content']].find(Array.isArray) as Json;
  if (listed === undefined) return null;
  const lines = objects(listed).flatMap((todo) => {
    const content = text(todo['content']) ?? text(todo['subject']) ?? text(todo['text']);
    return content === null ? [] : [`- [${text(todo['status']) ?? 'pending'}] ${content}`];
  });
  return lines.length === 0 ? 'The list of things to do is empty.' : `The list of things to do, as it stands:\n${lines.join('\n')}`;
}

function fileOf(members: Members): string | null {
  return text(members['displayPath']) ?? text(members['filename']) ?? text(members['path']) ?? text(members['file']) ?? text(members['uri']);
}

const text = (value: Json | undefined): string | null => (isBlank(value) ? null : (value as string));

const objects = (value: Json | undefined): readonly Members[] => (Array.isArray(value) ? (value.filter(isObject) as unknown as readonly Members[]) : []);
