import type { Attachment } from '../message/attachment.js';
import type { SkillSummary, Skill } from '../prompt/skill.js';

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
