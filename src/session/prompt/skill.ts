/** A command or skill that expands to messages for the model. */
export interface SkillSummary {
  /** Name for slash commands and for the Skill tool. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string | null;
  /** `skill`: a folder with a SKILL.md; `command`: a single file. */
  readonly kind: 'skill' | 'command';
  /** Whether users may call it as a slash command, and whether the model may call it with the Skill tool. */
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
}

/** That a skill runs in a helper. */
export interface SkillFork {
  /** The name of the agent that it runs as, as written; null: a helper that works as its parent does. */
  readonly agent: string | null;
}

export interface Skill extends SkillSummary {
  /** Tools that need no permission during its turn, as permission rules. */
  readonly allowedTools: readonly string[];
  /** Requested model, an id or an alias as written; null: the session's. */
  readonly model: string | null;
  /** The path by which the model and its tools reach the skill's folder, such as /skills/NAME; null for a single file. */
  readonly directory: string | null;
  /** Names of the arguments, by position. */
  readonly argumentNames: readonly string[];
  /** Markdown after the front matter, unchanged. */
  readonly body: string;
  /** Null: it runs in the conversation that calls it. */
  readonly fork: SkillFork | null;
}
