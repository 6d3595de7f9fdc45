import type { Json } from '../../../packages/protocol/message/content.js';

/** What the model writes in a call of `Skill`. */
export interface SkillInput {
  readonly name: string;
  readonly args: string;
}

/** Null: the input is not valid. */
export function readSkillInput(input: Json): SkillInput | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  // Some models send `name`, and a leading slash as people type it.
  const { name, skill = name, args = '' } = input as { readonly [key: string]: Json };
  if (typeof skill !== 'string' || typeof args !== 'string') return null;
  return { name: skill.trim().replace(/^\//, ''), args: args.trim() };
}
