import { mentionsOf } from '../../core/prompt/expand-skill.js';
import { type SkillProblem, Skills, type TenantConfiguration } from '../../core/ports.js';
import { readFrontMatter, SkillFault } from './front-matter.js';
import { readText } from './read-text.js';
import { type FoundFile, scan } from './scan.js';
import { fileAttachment, readSkillFile } from './skill-file.js';
import type { Attachment } from '../../core/message/attachment.js';
import type { Skill, SkillSummary } from '../../core/prompt/skill.js';
import { shorten } from '../../core/message/text.js';

export interface SkillSettings {
  /** Null: nothing is installed. */
  readonly directory: string | null;
  readonly maxSkills: number;
  /** Of a skill's own file, and of one that it names. */
  readonly maxSkillBytes: number;
  readonly maxFileBytes: number;
  readonly report: (problem: string) => void;
  /** How long what was found counts before the directory is looked at again, in milliseconds. */
  readonly freshMs?: number;
}

interface Installed {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly problems: readonly SkillProblem[];
}

type Read = { readonly stamp: string } & ({ readonly skill: Skill } | { readonly problem: string });

const FRESH_MS = 1_000;

/** Characters of a description that are kept: it stands in every list. */
const MAX_DESCRIPTION = 1_024;

/** Skills in a directory of the operator's, each tenant's choice of them. What changes there counts a second later. */
export class InstalledSkills extends Skills {
  #found: { readonly at: number; readonly installed: Promise<Installed> } | null = null;
  #read: ReadonlyMap<string, Read> = new Map();
  #reported: ReadonlySet<string> = new Set();

  constructor(
    private readonly settings: SkillSettings,
    private readonly tenants: TenantConfiguration,
  ) {
    super();
  }

  override async list(tenantId: string): Promise<readonly SkillSummary[]> {
    const { skills } = await this.#installed();
    if (skills.size === 0) return [];
    const chosen = (await this.tenants.read(tenantId)).skills;
    return [...skills.values()].filter(({ name }) => isOn(chosen, name)).map(summary);
  }

  override async find(tenantId: string, name: string): Promise<Skill | null> {
    const skill = (await this.#installed()).skills.get(name);
    return skill && isOn((await this.tenants.read(tenantId)).skills, name) ? skill : null;
  }

  override async problems(): Promise<readonly SkillProblem[]> {
    return (await this.#installed()).problems;
  }

  override async mentioned(skill: Skill, args: string): Promise<readonly Attachment[]> {
    const { maxFileBytes } = this.settings;
    const found = await Promise.all(
      mentionsOf(skill, args).map(async (mention) => fileAttachment(skill, mention, await readSkillFile(skill.directory, mention.path, maxFileBytes))),
    );
    return found.filter((attachment) => attachment !== null);
  }

  #installed(): Promise<Installed> {
    const now = performance.now();
    if (this.#found && now - this.#found.at < (this.settings.freshMs ?? FRESH_MS)) return this.#found.installed;
    const installed = this.#look();
    this.#found = { at: now, installed };
    return installed;
  }

  async #look(): Promise<Installed> {
    const { directory, maxSkills } = this.settings;
    if (directory === null) return { skills: new Map(), problems: [] };
    let found;
    try {
      found = await scan(directory, maxSkills);
    } catch (fault) {
      return this.#told({ skills: new Map(), problems: [{ path: '.', problem: `The skills' directory cannot be read (${codeOf(fault)}).` }] });
    }
    const read = new Map<string, Read>();
    // One by one: there may be more of them than files a process may have open.
    for (const file of found.files) read.set(file.path, await this.#readAgain(file));
    this.#read = read;
    const skills = new Map<string, Skill>();
    const problems = [...found.problems];
    for (const [at, result] of read) {
      if ('skill' in result) skills.set(result.skill.name, result.skill);
      else problems.push({ path: at, problem: result.problem });
    }
    return this.#told({ skills, problems });
  }

  /** Reads only what has changed. */
  async #readAgain(file: FoundFile): Promise<Read> {
    const known = this.#read.get(file.path);
    if (known?.stamp === file.stamp) return known;
    try {
      return { stamp: file.stamp, skill: skillOf(file, await readText(file.file, this.settings.maxSkillBytes)) };
    } catch (fault) {
      return { stamp: file.stamp, problem: fault instanceof SkillFault ? fault.message : `It cannot be read (${codeOf(fault)}).` };
    }
  }

  /** Each problem is reported once, for as long as it lasts. */
  #told(installed: Installed): Installed {
    const problems = installed.problems.map((problem) => `Skill ${problem.path}: ${problem.problem}`);
    for (const problem of problems) if (!this.#reported.has(problem)) this.settings.report(problem);
    this.#reported = new Set(problems);
    return installed;
  }
}

function skillOf({ name, kind, directory }: FoundFile, text: string): Skill {
  const { front, body } = readFrontMatter(text);
  const { description, ...rest } = front;
  if (body.trim() === '') throw new SkillFault('It has no text besides its front matter.');
  return { name, kind, directory, body, ...rest, description: shorten((description ?? firstLine(body)).trim(), MAX_DESCRIPTION - 1) };
}

function firstLine(body: string): string {
  return (/\S.*/.exec(body)?.[0] ?? '').replace(/^#+\s*/, '').trim();
}

function summary({ name, description, argumentHint, kind, userInvocable, modelInvocable }: Skill): SkillSummary {
  return { name, description, argumentHint, kind, userInvocable, modelInvocable };
}

/** On unless switched off. */
function isOn(chosen: Readonly<Record<string, boolean>>, name: string): boolean {
  return !Object.hasOwn(chosen, name) || chosen[name] === true;
}

const codeOf = (fault: unknown): string => String((fault as { code?: unknown } | null)?.code ?? 'unknown');
