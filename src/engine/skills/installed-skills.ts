import { shorten } from '../../../packages/protocol/message/text.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { mentionsOf } from '../../session/prompt/expand-skill.js';
import type { Skill, SkillSummary } from '../../session/prompt/skill.js';
import { type InstalledSkillSummary, type ReadOnlyFolder, type SkillProblem, Skills, type TenantConfiguration } from '../../ports/index.js';
import { isPluginEnabled, type TenantSettings } from '../../session/tenants/tenant-settings.js';
import { readFrontMatter, SkillFault } from './front-matter.js';
import { readText } from './read-text.js';
import { type FoundFile, scan } from './scan.js';
import { neededPrograms } from './scripts.js';
import { fileAttachment, readSkillFile } from './skill-file.js';

/** A directory of skills and commands. */
export interface SkillRoot {
  readonly directory: string;
  /** The path by which the model and its tools reach the directory. */
  readonly path: string;
  /** The plugin that brings it. Its name precedes the names of skills, and tenants see them when they enable it. Null: the operator's own, on unless switched off. */
  readonly plugin: { readonly name: string; readonly root: string } | null;
}

/** Where the model and its tools see the operator's own skills. */
export const SKILLS_PATH = '/skills';

export interface SkillSettings {
  readonly roots: readonly SkillRoot[];
  readonly maxSkills: number;
  /** Of a skill's own file, and of a file that it mentions. */
  readonly maxSkillBytes: number;
  readonly maxFileBytes: number;
  readonly report: (problem: string) => void;
  /** Whether commands can use a program; null where sessions run no commands. */
  readonly hasProgram: ((name: string) => boolean) | null;
  /** Whether there are helpers. Where there are none, a skill that says `context: fork` runs in the conversation that calls it. */
  readonly hasHelpers: boolean;
  /** How long a scan is used before the directories are scanned again, in milliseconds. */
  readonly freshMs?: number;
}

interface InstalledSkill {
  readonly skill: Skill;
  /** The real folder; `skill.directory` is what the model sees. */
  readonly directory: string | null;
  readonly root: SkillRoot;
}

interface Installed {
  readonly skills: ReadonlyMap<string, InstalledSkill>;
  readonly problems: readonly SkillProblem[];
}

type ReadResult = { readonly stamp: string; readonly problems: readonly string[]; readonly installed: InstalledSkill | null };

const FRESH_MS = 1_000;

/** Characters of a description: it is part of every listing. */
const MAX_DESCRIPTION = 1_024;

/** Skills and commands in directories of the operator and of plugins, and each tenant's selection. Changes take effect after `freshMs`. */
export class InstalledSkills extends Skills {
  #scanned: { readonly at: number; readonly installed: Promise<Installed> } | null = null;
  #read: ReadonlyMap<string, ReadResult> = new Map();
  #reported: ReadonlySet<string> = new Set();

  constructor(
    private readonly settings: SkillSettings,
    private readonly tenants: TenantConfiguration,
  ) {
    super();
  }

  override async list(tenantId: string): Promise<readonly SkillSummary[]> {
    return (await this.#enabled(tenantId)).map(({ skill }) => summary(skill));
  }

  override async installed(tenantId: string): Promise<readonly InstalledSkillSummary[]> {
    const [{ skills }, settings] = await Promise.all([this.#installed(), this.tenants.read(tenantId)]);
    return [...skills.values()]
      .filter(({ root }) => isPluginEnabled(settings, root.plugin?.name ?? null))
      .map((found) => ({ ...summary(found.skill), enabled: isEnabled(found, settings), plugin: found.root.plugin?.name ?? null }));
  }

  override async find(tenantId: string, name: string): Promise<Skill | null> {
    const found = (await this.#installed()).skills.get(name);
    return found && isEnabled(found, await this.tenants.read(tenantId)) ? found.skill : null;
  }

  override async folders(tenantId: string): Promise<readonly ReadOnlyFolder[]> {
    return (await this.#enabled(tenantId)).flatMap(({ skill, directory, root }) =>
      root.plugin !== null || directory === null || skill.directory === null ? [] : [{ path: skill.directory, directory }],
    );
  }

  override async problems(): Promise<readonly SkillProblem[]> {
    return (await this.#installed()).problems;
  }

  override async mentioned(skill: Skill, args: string): Promise<readonly Attachment[]> {
    const { maxFileBytes } = this.settings;
    const directory = (await this.#installed()).skills.get(skill.name)?.directory ?? null;
    const found = await Promise.all(
      mentionsOf(skill, args).map(async (mention) => fileAttachment(skill, mention, await readSkillFile(directory, mention.path, maxFileBytes))),
    );
    return found.filter((attachment) => attachment !== null);
  }

  async #enabled(tenantId: string): Promise<readonly InstalledSkill[]> {
    const { skills } = await this.#installed();
    if (skills.size === 0) return [];
    const settings = await this.tenants.read(tenantId);
    return [...skills.values()].filter((skill) => isEnabled(skill, settings));
  }

  #installed(): Promise<Installed> {
    const now = performance.now();
    if (this.#scanned && now - this.#scanned.at < (this.settings.freshMs ?? FRESH_MS)) return this.#scanned.installed;
    const installed = this.#scanAll();
    this.#scanned = { at: now, installed };
    return installed;
  }

  async #scanAll(): Promise<Installed> {
    const read = new Map<string, ReadResult>();
    const skills = new Map<string, InstalledSkill>();
    const problems: SkillProblem[] = [];
    for (const root of this.settings.roots) {
      const shown = (at: string): string => (root.plugin === null ? at : `${root.path.slice(1)}/${at}`);
      const { files, problems: found } = await scan(root.directory, this.settings.maxSkills - skills.size).catch((fault: unknown) => ({
        files: [],
        problems: [{ path: '.', problem: `The directory cannot be read (${codeOf(fault)}).` }],
      }));
      problems.push(...found.map(({ path, problem }) => ({ path: shown(path), problem })));
      // Sequential: there may be more files than a process may have open.
      for (const file of files) {
        const key = `${root.directory}/${file.path}`;
        const known = this.#read.get(key);
        const result = known?.stamp === file.stamp ? known : await this.#readFile(file, root);
        read.set(key, result);
        problems.push(...result.problems.map((problem) => ({ path: shown(file.path), problem })));
        const { installed } = result;
        if (installed === null) continue;
        const { name } = installed.skill;
        if (skills.has(name)) problems.push({ path: shown(file.path), problem: `The name /${name} is already used.` });
        else skills.set(name, installed);
      }
    }
    this.#read = read;
    this.#reportOnce(problems);
    return { skills, problems };
  }

  async #readFile(file: FoundFile, root: SkillRoot): Promise<ReadResult> {
    const { stamp, directory } = file;
    try {
      const skill = skillOf(file, await readText(file.file, this.settings.maxSkillBytes), root, this.settings.hasHelpers);
      return { stamp, installed: { skill, directory, root }, problems: await this.#missingPrograms(directory) };
    } catch (fault) {
      return { stamp, installed: null, problems: [fault instanceof SkillFault ? fault.message : `It cannot be read (${codeOf(fault)}).`] };
    }
  }

  async #missingPrograms(directory: string | null): Promise<readonly string[]> {
    const { hasProgram } = this.settings;
    if (directory === null || hasProgram === null) return [];
    const needed = [...(await neededPrograms(directory))].filter(([program]) => !hasProgram(program));
    return needed.map(([program, script]) => `Its script ${script} needs ${program}, which is not installed on this server.`);
  }

  /** Reports each problem once for as long as it persists. */
  #reportOnce(found: readonly SkillProblem[]): void {
    const problems = found.map((problem) => `Skill ${problem.path}: ${problem.problem}`);
    for (const problem of problems) if (!this.#reported.has(problem)) this.settings.report(problem);
    this.#reported = new Set(problems);
  }
}

function skillOf({ name, kind, directory, path }: FoundFile, text: string, root: SkillRoot, hasHelpers: boolean): Skill {
  const { front, body } = readFrontMatter(text);
  const { description, ...rest } = front;
  if (body.trim() === '') throw new SkillFault('It has no text after its front matter.');
  return {
    name: root.plugin === null ? name : `${root.plugin.name}:${name}`,
    kind,
    directory: directory === null ? null : `${root.path}/${path.replace(/\/[^/]*$/, '')}`,
    body: root.plugin === null ? body : body.replaceAll('${CLAUDE_PLUGIN_ROOT}', root.plugin.root),
    ...rest,
    fork: hasHelpers ? rest.fork : null,
    description: shorten((description ?? firstLine(body)).trim(), MAX_DESCRIPTION - 1),
  };
}

function firstLine(body: string): string {
  return (/\S.*/.exec(body)?.[0] ?? '').replace(/^#+\s*/, '').trim();
}

function summary({ name, description, argumentHint, kind, userInvocable, modelInvocable }: Skill): SkillSummary {
  return { name, description, argumentHint, kind, userInvocable, modelInvocable };
}

/** The operator's own skills are on unless switched off; those of a plugin follow the plugin, and can be switched off one by one. */
function isEnabled({ skill, root }: InstalledSkill, settings: TenantSettings): boolean {
  const { skills } = settings;
  return isPluginEnabled(settings, root.plugin?.name ?? null) && (!Object.hasOwn(skills, skill.name) || skills[skill.name] === true);
}

const codeOf = (fault: unknown): string => String((fault as { code?: unknown } | null)?.code ?? 'unknown');
