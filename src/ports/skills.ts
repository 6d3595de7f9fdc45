import type { Attachment } from '../../packages/protocol/message/attachment.js';
import type { SkillSummary, Skill } from '../session/prompt/skill.js';
import type { ReadOnlyFolder } from './tools.js';

/** Why an installed skill is not offered, or partly not working. */
export interface SkillProblem {
  /** Path of the file relative to the skills directory. */
  readonly path: string;
  readonly problem: string;
}

/** A skill that is installed, for a tenant that may have switched it off. */
export interface InstalledSkillSummary extends SkillSummary {
  readonly enabled: boolean;
  /** The plugin that brings it; null: the operator's own. */
  readonly plugin: string | null;
}

export interface PluginSummary {
  readonly name: string;
  /** From its manifest; may be empty. */
  readonly description: string;
  readonly enabled: boolean;
  /** What it brings. */
  readonly brings: readonly ('hooks' | 'mcpServers' | 'skills')[];
}

/** The plugins of the operator. */
export abstract class Plugins {
  abstract list(tenantId: string): Promise<readonly PluginSummary[]>;
}

/** Skills that are installed and enabled for a tenant. */
export abstract class Skills {
  abstract list(tenantId: string): Promise<readonly SkillSummary[]>;
  /** All that are installed, in the order of `list`, but for those of plugins that the tenant has not enabled. */
  abstract installed(tenantId: string): Promise<readonly InstalledSkillSummary[]>;
  /** Null when the tenant has no skill of this name. */
  abstract find(tenantId: string, name: string): Promise<Skill | null>;
  /** The folders of a tenant's skills that have one: read-only for the tools of its sessions. */
  abstract folders(tenantId: string): Promise<readonly ReadOnlyFolder[]>;
  /**
   * The files mentioned as `@path` in the skill's text and in the arguments, as `skill_file` attachments with their `content`, or with a `note` why they were not
   * read. Never reads outside of the skill's folder, and never throws.
   */
  abstract mentioned(skill: Skill, args: string): Promise<readonly Attachment[]>;
  /** Problems of installed skills, independent of tenants. */
  abstract problems(): Promise<readonly SkillProblem[]>;
}
