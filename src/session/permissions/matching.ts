import type { Json } from '../../../packages/protocol/message/content.js';
import { isMatch, mayMatch } from './path-pattern.js';
import type { Rule } from '../../../packages/protocol/permissions/rule.js';
import { coversCommand, touchesCommand } from './shell-rules.js';

export interface NamedCall {
  readonly name: string;
  readonly input: Json;
}

/** Further tools to which a rule for the tool applies. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  Edit: ['Write', 'MultiEdit', 'NotebookEdit'],
  Read: ['Glob', 'Grep', 'LS'],
};

const FILE_TOOLS: ReadonlySet<string> = new Set(Object.entries(FAMILIES).flatMap(([name, others]) => [name, ...others]));

const PATH_MEMBERS = ['file_path', 'notebook_path', 'path'] as const;
const SKILL_MEMBERS = ['skill', 'name', 'command'] as const;

/** The first matching rule when the rules together allow the whole call; null otherwise. */
export function covering<R extends Rule>(rules: readonly R[], call: NamedCall): R | null {
  const candidates = rules.filter((rule) => names(rule, call.name));
  const whole = candidates.find(({ pattern }) => pattern === null);
  if (whole) return whole;
  if (call.name === 'Bash') {
    const command = textIn(call.input, ['command']);
    const patterns = candidates.flatMap(({ pattern }) => pattern ?? []);
    return command !== null && coversCommand(patterns, command) ? (candidates.find(({ pattern }) => touchesCommand(pattern ?? '', command)) ?? null) : null;
  }
  return candidates.find(({ pattern }) => pattern !== null && isCovered(pattern, call)) ?? null;
}

/** The first rule that matches the call or a part of it; null when none does. */
export function touching<R extends Rule>(rules: readonly R[], call: NamedCall): R | null {
  return rules.find((rule) => names(rule, call.name) && (rule.pattern === null || isTouched(rule.pattern, call))) ?? null;
}

/** The tools without those whose every call is denied: these are not offered to the model. */
export function withoutForbidden<T extends { readonly name: string }>(tools: readonly T[], deny: readonly Rule[]): readonly T[] {
  return tools.filter(({ name }) => !deny.some((rule) => rule.pattern === null && names(rule, name)));
}

function names({ tool }: Rule, name: string): boolean {
  if (tool === name || FAMILIES[tool]?.includes(name)) return true;
  if (!tool.startsWith('mcp__')) return false;
  return tool.endsWith('*') ? name.startsWith(tool.slice(0, -1)) : tool.split('__').length === 2 && name.startsWith(`${tool}__`);
}

function isCovered(pattern: string, { name, input }: NamedCall): boolean {
  if (FILE_TOOLS.has(name)) {
    const path = pathIn(name, input);
    return path !== null && isMatch(pattern, path);
  }
  return name === 'Skill' && isSkill(pattern, input);
}

/** For tools without pattern support, a restriction matches every call. */
function isTouched(pattern: string, { name, input }: NamedCall): boolean {
  if (name === 'Bash') {
    const command = textIn(input, ['command']);
    return command === null || touchesCommand(pattern, command);
  }
  if (FILE_TOOLS.has(name)) {
    const path = pathIn(name, input);
    return path === null || [path, ...searchedIn(path, name, input)].some((each) => mayMatch(pattern, each));
  }
  return name !== 'Skill' || isSkill(pattern, input);
}

/** `commit` matches exactly, `review:*` a prefix. */
function isSkill(pattern: string, input: Json): boolean {
  const called = textIn(input, SKILL_MEMBERS)?.replace(/^\//, '') ?? null;
  if (called === null) return false;
  return pattern.endsWith(':*') ? called.startsWith(pattern.slice(0, -2)) : called === pattern;
}

/** A search without a path starts in the session's folder. */
function pathIn(name: string, input: Json): string | null {
  return textIn(input, PATH_MEMBERS) ?? (FAMILIES['Read']?.includes(name) ? '.' : null);
}

/** The path that a search covers by its own pattern. */
function searchedIn(path: string, name: string, input: Json): readonly string[] {
  const looked = name === 'Glob' ? textIn(input, ['pattern']) : name === 'Grep' ? textIn(input, ['glob']) : null;
  return looked === null ? [] : [`${path}/${looked}`];
}

function textIn(input: Json, members: readonly string[]): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  const record = input as { readonly [key: string]: Json };
  for (const member of members) {
    const value = Object.hasOwn(record, member) ? record[member] : undefined;
    if (typeof value === 'string') return value;
  }
  return null;
}
