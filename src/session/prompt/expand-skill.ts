import type { Content, ContentBlock } from '../../../packages/protocol/message/content.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { substituteArguments } from './substitute-arguments.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import type { Skill } from './skill.js';

/** The part of a skill, or of a built-in command, that is expanded to messages. */
export type Expandable = Pick<Skill, 'name' | 'body' | 'directory' | 'allowedTools' | 'model' | 'argumentNames'>;

/** A call of a skill by slash command or by the model. */
export interface SkillCall {
  readonly args: string;
  readonly sessionId: string;
}

/** Maximum number of mentioned files per call. */
export const MAX_MENTIONS = 20;

const MENTION = /(?:^|[\s(])@(?:"([^"\n]{1,500})"|([^\s"'`<>()]{1,500}))/g;

/** The skill's text with arguments substituted. */
export function skillText(skill: Expandable, { args, sessionId }: SkillCall): string {
  const { directory, argumentNames, body } = skill;
  const text = substituteArguments(body.trim(), { args, argumentNames, skillDirectory: directory, sessionId });
  return directory === null ? text : `Base directory for this skill: ${directory}\n\n${text}`;
}

export interface Mention {
  readonly path: string;
  /** Whether it stands in the skill's own text, where it always means a file; in arguments `@name` may mean anything. */
  readonly bySkill: boolean;
}

/** Files mentioned as `@path` in the arguments and in the skill's text, without duplicates, in order. */
export function mentionsOf(skill: Pick<Skill, 'body'>, args: string): readonly Mention[] {
  const found = new Map<string, Mention>();
  for (const [text, bySkill] of [
    [args, false],
    [skill.body, true],
  ] as const) {
    for (const [, quoted, plain] of text.matchAll(MENTION)) {
      const path = (quoted ?? (plain ?? '').replace(/[.,;:!?]+$/, '')).replace(/^\$\{CLAUDE_SKILL_DIR\}\//, '');
      if (path === '' || (found.has(path) && !bySkill)) continue;
      found.set(path, { path, bySkill });
    }
  }
  return [...found.values()].slice(0, MAX_MENTIONS);
}

/**
 * Permissions that a call grants for its turn; read by the permission rules, never sent to the model. For a slash command `body` is the uuid of the message with the
 * skill's text; for a call by the model `toolUseId` and the beginning of that text are stored instead.
 */
export function commandPermissions(skill: Expandable, text: { readonly body: string } | { readonly toolUseId: string; readonly text: string }): Attachment {
  return { type: 'command_permissions', skill: skill.name, allowedTools: skill.allowedTools, model: skill.model, ...text };
}

export interface ExpandedPlace {
  /** Uuid of the header message: the submission's. */
  readonly uuid: string;
  readonly permissionMode: PermissionMode;
  readonly at: string;
  readonly freshUuid: () => string;
  /** Numbers of the pasted images, which are the last of the files. */
  readonly imagePasteIds?: readonly number[];
}

/**
 * The messages of a slash command for a skill, in order: a header for readers and model with the files of the prompt, the skill's text (model only), attachments,
 * permissions.
 */
export function expandSkill(
  skill: Expandable,
  call: SkillCall,
  attachments: readonly Attachment[],
  files: readonly ContentBlock[],
  place: ExpandedPlace,
): readonly Draft[] {
  const { uuid, permissionMode, at: timestamp, freshUuid, imagePasteIds = [] } = place;
  const typed = header(skill.name, call.args);
  const content: Content = files.length === 0 ? typed : [{ type: 'text', text: typed }, ...files];
  const body = freshUuid();
  const attached = (attachment: Attachment): Draft => ({ type: 'attachment', uuid: freshUuid(), timestamp, attachment });
  return [
    userMessage({ uuid, timestamp, content, permissionMode, ...(imagePasteIds.length === 0 ? {} : { imagePasteIds }) }),
    userMessage({ uuid: body, timestamp, content: skillText(skill, call), isMeta: true }),
    ...attachments.map(attached),
    attached(commandPermissions(skill, { body })),
  ];
}

function header(name: string, args: string): string {
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
}
