import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type OwnModel, resolveModel } from '../../../packages/normalizer/models/own-models.js';
import { FAMILIES, type Family } from '../../../packages/normalizer/models/families.js';
import { EFFORTS, THINKING_TYPES } from '../../../packages/protocol/message/model-options.js';
import { modelPrice } from '../../platform/config/model-prices.js';

/** All faults of the file in one error, each with its place in the file. */
export class ModelsFileError extends Error {
  override readonly name = 'ModelsFileError';
  readonly code = 'models_file_unusable';
}

const MAX_TOKENS = 100_000_000;
const MAX_PIXELS = 100_000;

const count = (most: number) => z.int().min(1).max(most);
const tokens = count(MAX_TOKENS);

/** In the order of `all`, each once: options are lowered along it. */
const subset = <T extends string>(all: readonly T[]) => z.array(z.enum(all)).transform((given) => all.filter((one) => given.includes(one)));

/** The members of a family, as their table has them. */
const family = z.strictObject({
  contextWindow: tokens,
  maxOutputTokens: tokens,
  resolution: z.strictObject({ pixelsPerSide: count(MAX_PIXELS), patches: count(MAX_PIXELS) }),
  prefill: z.boolean(),
  systemRole: z.boolean(),
  thinkingModes: subset(THINKING_TYPES),
  thinkingOffAtTopEffort: z.boolean(),
  thinksByDefault: z.boolean(),
  omitsThinking: z.boolean(),
  preservedThinking: z.boolean(),
  otherModelThinking: z.enum(['keep', 'drop']),
  toolSearch: z.boolean(),
  sampling: z.enum(['one-of', 'defaults-only']),
  forcedToolChoice: z.enum(['rejected', 'without-manual-thinking']),
  effortLevels: subset(EFFORTS),
  rejectsOverflow: z.boolean(),
} satisfies Record<keyof Family, z.ZodType>);

const BUILT_IN = Object.keys(FAMILIES).map((key) => `claude-${key}`);

const entry = z.strictObject({
  ...family.partial().shape,
  like: z.enum(BUILT_IN, { error: `must be a built-in family: ${BUILT_IN.join(', ')}` }).optional(),
  price: modelPrice.optional(),
});

const file = z.strictObject({ models: z.record(z.string(), z.unknown()) });

/** Profiles are recorded as `family/provider`, so a name has no slash. */
const NAME = /^[A-Za-z0-9][\w.:@-]{0,99}\*?$/;

/** Reads what the operator says about models. Throws ModelsFileError. */
export function readModelsFile(path: string): readonly OwnModel[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ModelsFileError(`MODELS_FILE ${path} cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  return parseModelsFile(text, path);
}

/** As `readModelsFile`, from the text of the file. */
export function parseModelsFile(text: string, path: string): readonly OwnModel[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ModelsFileError(`MODELS_FILE ${path} is not JSON: ${(error as { message: string }).message}`);
  }
  const faults: string[] = [];
  const read = file.safeParse(json);
  if (!read.success) faults.push(...faultsOf(read.error));
  const models = Object.entries(read.data?.models ?? {}).flatMap(([name, value], _, all) => {
    const where = `models.${name}`;
    const isTaken = name.endsWith('*') && all.some(([other]) => `${other}*` === name);
    if (!NAME.test(name) || name === 'unknown') faults.push(`${where}: a name has 1 to 100 letters, digits and . : @ _ -, and may end in *`);
    else if (isTaken) faults.push(`${where}: is named as an entry without *; reports and prices could not tell them apart`);
    const found = entry.safeParse(value);
    if (!found.success) {
      faults.push(...faultsOf(found.error, where));
      return [];
    }
    const { like, price, ...given } = found.data;
    const model: OwnModel = { name, like, family: present(given), price };
    faults.push(...contradictions(resolveModel(model).family).map((fault) => `${where}.${fault}`));
    return [model];
  });
  if (faults.length > 0) throw new ModelsFileError(`MODELS_FILE ${path} is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return models;
}

/** Values of an entry, with those that it leaves out, that no model can have together. */
function contradictions({ contextWindow, maxOutputTokens, thinkingModes, thinksByDefault, effortLevels }: Family): readonly string[] {
  const isTop = effortLevels.includes('xhigh') || effortLevels.includes('max');
  return [
    ...(maxOutputTokens > contextWindow ? [`maxOutputTokens: is ${maxOutputTokens}, more than contextWindow (${contextWindow})`] : []),
    ...(thinksByDefault && !thinkingModes.includes('adaptive') ? ['thinksByDefault: must be false without adaptive among thinkingModes'] : []),
    ...(isTop && !effortLevels.includes('high') ? ['effortLevels: with xhigh or max there must be high'] : []),
  ];
}

const present = (given: object): Partial<Family> => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

const faultsOf = ({ issues }: z.ZodError, where?: string): readonly string[] =>
  issues.map((issue) => `${[...(where === undefined ? [] : [where]), ...issue.path].map(String).join('.') || 'the file'}: ${issue.message}`);
