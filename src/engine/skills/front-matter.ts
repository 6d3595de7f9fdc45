import { parse } from 'yaml';
import { z } from 'zod';
import type { SkillFork } from '../../session/prompt/skill.js';

/** Why a file cannot be used. */
export class SkillFault extends Error {
  override readonly name = 'SkillFault';
}

export interface FrontMatter {
  readonly description: string | null;
  readonly argumentHint: string | null;
  readonly argumentNames: readonly string[];
  readonly allowedTools: readonly string[];
  readonly model: string | null;
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
  readonly fork: SkillFork | null;
}

const OPEN = /^---[ \t]*\r?\n/;
const CLOSE = /^---[ \t]*$/m;

/** An unquoted `name: value` line. The value of argument-hint may begin with a bracket. */
const PLAIN_VALUE = /^(argument-hint(?=:[ \t]+\[)|[A-Za-z][\w-]*(?!:[ \t]+["'>|&*!{[])):[ \t]+(?!["'>|&*!{])(\S.*)$/gm;

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A list, or a text that holds its members. */
const list = (split: (text: string) => readonly string[]) => z.union([z.string().transform(split), z.array(text)]).nullish();

/** Permission rules, or names of tools. */
export const ruleList = list(splitRules);

/** The public members of a skill's front matter that this server uses; others are ignored. */
const members = z.looseObject({
  description: text.nullish(),
  when_to_use: text.nullish(),
  'argument-hint': z.union([text, z.array(text).transform((names) => `[${names.join(', ')}]`)]).nullish(),
  arguments: list((names) => names.split(/[\s,]+/).filter((name) => name !== '')),
  'allowed-tools': ruleList,
  model: z.string().trim().min(1).nullish(),
  'disable-model-invocation': flag.nullish(),
  'user-invocable': flag.nullish(),
  context: text.nullish(),
  agent: z.string().trim().min(1).nullish(),
});

/** Splits a skill's file into front matter and body. Throws SkillFault when the front matter is not valid. */
export function readFrontMatter(file: string): { readonly front: FrontMatter; readonly body: string } {
  const { front, body } = parseFrontMatter(file, members);
  return { front: frontOf(front), body };
}

/** Splits a file into its front matter, read by a schema, and its body. Throws SkillFault when the front matter is not valid. */
export function parseFrontMatter<Members extends z.ZodType>(file: string, schema: Members): { readonly front: z.output<Members>; readonly body: string } {
  const source = file.replace(/^\uFEFF/, '');
  const open = OPEN.exec(source);
  if (!open) return { front: checked({}, schema), body: source };
  const rest = source.slice(open[0].length);
  const close = CLOSE.exec(rest);
  if (!close) throw new SkillFault('The front matter is not closed by a line of three dashes.');
  const front = checked(parseYaml(rest.slice(0, close.index)) ?? {}, schema);
  return { front, body: rest.slice(close.index + close[0].length).replace(/^\r?\n/, '') };
}

function checked<Members extends z.ZodType>(written: unknown, schema: Members): z.output<Members> {
  const read = schema.safeParse(written);
  if (read.success) return read.data;
  throw new SkillFault(`The front matter is not valid: ${read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ')}.`);
}

function frontOf(given: z.output<typeof members>): FrontMatter {
  const { description, when_to_use: when, model } = given;
  const described = [description, when].filter((part) => part !== null && part !== undefined && part.trim() !== '').join(' ');
  return {
    description: described === '' ? null : described,
    argumentHint: given['argument-hint'] ?? null,
    argumentNames: given.arguments ?? [],
    allowedTools: given['allowed-tools'] ?? [],
    model: model === null || model === undefined || model === 'inherit' ? null : model,
    userInvocable: given['user-invocable'] ?? true,
    modelInvocable: !(given['disable-model-invocation'] ?? false),
    fork: given.context === 'fork' ? { agent: given.agent ?? null } : null,
  };
}

/** Many files hold plain values that YAML requires to be quoted, such as a description with a colon. If parsing fails, it is repeated with such values quoted. */
function parseYaml(yaml: string): unknown {
  const options = { maxAliasCount: 0, logLevel: 'error', prettyErrors: false } as const;
  try {
    return parse(yaml, options);
  } catch (fault) {
    try {
      return parse(
        yaml.replace(PLAIN_VALUE, (_, name: string, value: string) => `${name}: ${JSON.stringify(value.trim())}`),
        options,
      );
    } catch {
      throw new SkillFault(`The front matter is not valid YAML: ${(fault as { message: string }).message}`);
    }
  }
}

/** Rules are separated by commas or spaces; those within parentheses belong to the rule. */
function splitRules(rules: string): readonly string[] {
  return rules.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
