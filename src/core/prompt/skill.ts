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
