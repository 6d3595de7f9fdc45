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
  /** Model it asks for; null = the session's. */
  readonly model: string | null;
  /** Absolute path of the folder the skill's files lie in; null for a single file. */
  readonly directory: string | null;
  /** Markdown behind the front matter, as written. */
  readonly body: string;
}

/** Skills that are installed and switched on for a tenant. */
export abstract class Skills {
  abstract list(tenantId: string): Promise<readonly SkillSummary[]>;
  /** Null when there is none of that name for this tenant. */
  abstract find(tenantId: string, name: string): Promise<Skill | null>;
}
