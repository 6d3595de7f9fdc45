import type { Attachment } from './attachments.js';

/** A command or skill that expands to messages for the model. */
export interface SkillSummary {
  /** As typed behind the slash, and as the model names it. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string | null;
  /** `skill`: a folder with a SKILL.md; `command`: a single file. */
  readonly kind: 'skill' | 'command';
  /** Whether a person may call it as a slash command, and whether the model may through the Skill tool. */
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
}

export interface Skill extends SkillSummary {
  /** Tools it may use without being asked, as permission rules. */
  readonly allowedTools: readonly string[];
  /** Model it asks for, as written: an id or an alias; null = the session's. */
  readonly model: string | null;
  /** Absolute path of the folder the skill's files lie in; null for a single file. */
  readonly directory: string | null;
  /** Names for the arguments, by position. */
  readonly argumentNames: readonly string[];
  /** Markdown behind the front matter, as written. */
  readonly body: string;
}

/** What keeps an installed skill from being offered, or part of it from working. */
export interface SkillProblem {
  /** Of the file, from the skills' directory on. */
  readonly path: string;
  readonly problem: string;
}

/** Skills that are installed and switched on for a tenant. */
export abstract class Skills {
  abstract list(tenantId: string): Promise<readonly SkillSummary[]>;
  /** Null when there is none of that name for this tenant. */
  abstract find(tenantId: string, name: string): Promise<Skill | null>;
  /**
   * The files that the skill's text and a call's arguments name as `@path`, as `skill_file` attachments with their `content`, or with a `note` that says why they
   * were not read. Nothing outside of the skill's folder ever is, and nothing is thrown.
   */
  abstract mentioned(skill: Skill, args: string): Promise<readonly Attachment[]>;
  /** What is wrong with installed skills now, tenants apart. */
  abstract problems(): Promise<readonly SkillProblem[]>;
}
