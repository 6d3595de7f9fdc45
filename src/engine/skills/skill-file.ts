import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Mention } from '../../session/prompt/expand-skill.js';
import { SkillFault } from './front-matter.js';
import { readText } from './read-text.js';
import { insideOf } from './scan.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import type { Skill } from '../../session/prompt/skill.js';

/** The result of reading a mentioned file. */
export type SkillFile =
  | { readonly kind: 'read'; readonly content: string }
  /** It exists, or may exist, but is not given to the model; the model reads `reason`. */
  | { readonly kind: 'withheld'; readonly reason: string }
  | { readonly kind: 'absent' };

const OUTSIDE: SkillFile = { kind: 'withheld', reason: "It is outside the skill's folder, so it was not read." };

/** Reads a text file by its path within a skill's folder; single-file commands (`directory` null) have no folder. */
export async function readSkillFile(directory: string | null, name: string, maxBytes: number): Promise<SkillFile> {
  const folder = directory ?? path.resolve('/nowhere');
  const way = path.relative(folder, path.resolve(folder, name));
  if (name.startsWith('~') || way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) return OUTSIDE;
  if (directory === null || name.includes('\0')) return { kind: 'absent' };
  try {
    const file = await insideOf(await realpath(directory), path.resolve(directory, name));
    if (file === null) return OUTSIDE;
    if (!(await stat(file)).isFile()) return { kind: 'withheld', reason: 'It is not a file, so it was not read.' };
    return { kind: 'read', content: await readText(file, maxBytes) };
  } catch (fault) {
    if (fault instanceof SkillFault) return { kind: 'withheld', reason: `It was not read. ${fault.message}` };
    const { code } = fault as { code?: string };
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'withheld', reason: 'It cannot be read on the server.' };
  }
}

/** The attachment for a mentioned file; null where there is none: a person's `@name` often does not mean a file. */
export function fileAttachment(skill: Skill, { path: name, bySkill }: Mention, file: SkillFile): Attachment | null {
  if (file.kind === 'read') return { type: 'skill_file', skill: skill.name, path: name, content: file.content };
  return file.kind === 'withheld' && bySkill ? { type: 'skill_file', skill: skill.name, path: name, note: file.reason } : null;
}
