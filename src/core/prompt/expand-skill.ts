import type { Content, ContentBlock } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import type { PermissionMode } from '../message/message.js';
import { substituteArguments } from './substitute-arguments.js';
import type { Attachment } from '../message/attachment.js';
import type { Skill } from './skill.js';
import type { Draft } from '../message/draft.js';

/** What of a skill, or of a command that ships with the server, becomes messages. */
export type Expandable = Pick<Skill, 'name' | 'body' | 'directory' | 'allowedTools' | 'model' | 'argumentNames'>;

/** A call of a skill: by a person behind a slash, or by the model. */
export interface SkillCall {
  readonly args: string;
  readonly sessionId: string;
}

/** Files that one call may bring along. */
export const MAX_MENTIONS = 20;

const MENTION = /(?:^|[\s(])@(?:"([^"\n]{1,500})"|([^\s"'`<>()]{1,500}))/g;

/** The text that a skill comes to when it is called. */
export function skillText(skill: Expandable, { args, sessionId }: SkillCall): string {
  const { directory, argumentNames, body } = skill;
  const text = substituteArguments(body.trim(), { args, argumentNames, skillDirectory: directory, sessionId });
  return directory === null ? text : `Base directory for this skill: ${directory}\n\n${text}`;
}

export interface Mention {
  readonly path: string;
  /** A person's `@name` is often no file at all; in the skill's own text it is meant as one. */
  readonly bySkill: boolean;
}

/** Files that a skill's text and the arguments of a call name as `@path`, each once, in order. */
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
 * What a call permits. It only feeds the local permission system; the model never sees it. `body` is the uuid of the message that holds the skill's text;
 * a call of the model's own says `toolUseId`, and the first part of that text, instead.
 */
export function commandPermissions(skill: Expandable, text: { readonly body: string } | { readonly toolUseId: string; readonly text: string }): Attachment {
  return { type: 'command_permissions', skill: skill.name, allowedTools: skill.allowedTools, model: skill.model, ...text };
}

export interface ExpandedPlace {
  /** Of the header: the submission's. */
  readonly uuid: string;
  readonly permissionMode: PermissionMode;
  readonly at: string;
  readonly freshUuid: () => string;
}

/**
 * The messages of a skill that a person called, in this order: a header for readers and model, the skill's text, what was found besides, the permissions.
 * `further` are blocks the person sent along, such as images.
 */
export function expandSkill(
  skill: Expandable,
  call: SkillCall,
  attachments: readonly Attachment[],
  further: readonly ContentBlock[],
  place: ExpandedPlace,
): readonly Draft[] {
  const { uuid, permissionMode, at: timestamp, freshUuid } = place;
  const text = skillText(skill, call);
  const content: Content = further.length === 0 ? text : [{ type: 'text', text }, ...further];
  const body = freshUuid();
  const attached = (attachment: Attachment): Draft => ({ type: 'attachment', uuid: freshUuid(), timestamp, attachment });
  return [
    userMessage({ uuid, timestamp, content: header(skill.name, call.args), permissionMode }),
    userMessage({ uuid: body, timestamp, content, isMeta: true }),
    ...attachments.map(attached),
    attached(commandPermissions(skill, { body })),
  ];
}

function header(name: string, args: string): string {
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
}
