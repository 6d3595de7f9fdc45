import { parse } from 'yaml';
import { z } from 'zod';

/** What is wrong with a file, in a sentence for its owner. */
export class SkillFault extends Error {
  override readonly name = 'SkillFault';
}

export interface PrefixParts {
  readonly description: string | null;
  readonly argumentHint: string | null;
  readonly argumentNames: readonly string[];
  readonly allowedTools: readonly string[];
  readonly model: string | null;
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
}

const OPEN = /^---[ \t]*\r?\n/;
const CLOSE = /^---[ \t]*$/m;

/** `name: words` on a line of its own, not quoted; hints for arguments begin with a bracket and are words all the same. */
const PLAIN_VALUE = /^(argument-hint(?=:[ \t]+\[)|[A-Za-z][\w-]*(?!:[ \t]+["'>|&*!{[])):[ \t]+(?!["'>|&*!{])(\S.*)$/gm;

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A list, or its members in one text. */
const list = (split: (text: string) => readonly string[]) => z.union([z.string().transform(split), z.array(text)]).nullish();

/** The public members of a skill's front matter that mean something here; others are left to their readers. */
const members = z.looseObject({
  description: text.nullish(),
  when_to_use: text.nullish(),
  'argument-hint': z.union([text, z.array(text).transform((names) => `[${names.join(', ')}]`)]).nullish(),
  arguments: list((names) => names.split(/[\s,]+/).filter((name) => name !== '')),
  'allowed-tools': list(splitRules),
  model: z.string().trim().min(1).nullish(),
  'disable-model-invocation': flag.nullish(),
  'user-invocable': flag.nullish(),
});

/** Takes a skill's file apart. Throws SkillFault when the front matter cannot be read. */
export function readFrontMatter(file: string): { readonly front: PrefixParts; readonly body: string } {
  const source = file.replace(/^\uFEFF/, '');
  const open = OPEN.exec(source);
  if (!open) return { front: frontOf({}), body: source };
  const rest = source.slice(open[0].length);
  const close = CLOSE.exec(rest);
  if (!close) throw new SkillFault('The front matter has no end: a line of three dashes is missing.');
  const read = members.safeParse(parseYaml(rest.slice(0, close.index)) ?? {});
  if (!read.success) {
    throw new SkillFault(
      `The front matter is not usable: ${read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ')}.`,
    );
  }
  return { front: frontOf(read.data), body: rest.slice(close.index + close[0].length).replace(/^\r?\n/, '') };
}

function frontOf(given: z.output<typeof members>): PrefixParts {
  const { description, when_to_use: when, model } = given;
  const told = [description, when].filter((part) => part !== null && part !== undefined && part.trim() !== '').join(' ');
  return {
    description: told === '' ? null : told,
    argumentHint: given['argument-hint'] ?? null,
    argumentNames: given.arguments ?? [],
    allowedTools: given['allowed-tools'] ?? [],
    model: model === null || model === undefined || model === 'inherit' ? null : model,
    userInvocable: given['user-invocable'] ?? true,
    modelInvocable: !(given['disable-model-invocation'] ?? false),
  };
}

/** Many files hold values that YAML would have quoted, such as a description with a colon in it: what cannot be read as it is, is read with its values quoted. */
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
      throw new SkillFault(`The front matter is no YAML: ${(fault as { message: string }).message}`);
    }
  }
}

/** Rules stand behind each other with commas or spaces between them; those within brackets belong to the rule. */
function splitRules(rules: string): readonly string[] {
  return rules.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
