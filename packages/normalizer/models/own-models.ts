import { apiModel } from './betas.js';
import { FAMILIES, type Family, UNKNOWN_FAMILY } from './families.js';

/** What a deployment says about models that the built-in tables lack or have otherwise. */
export interface OwnModel {
  /** A name of a model, or with `*` at the end the beginning of names. */
  readonly name: string;
  /** The built-in family, such as `claude-opus-5-5`, that what is left out is taken from; absent: that of the name, else the strictest values. */
  readonly like?: string | undefined;
  readonly family: Partial<Family>;
  readonly price?: OwnPrice | undefined;
}

/** A price that replaces one of the list, in US dollars per million tokens. Members that are left out follow from the input price. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWriteHour?: number | undefined;
}

/** An entry with everything that it leaves out. */
export interface ResolvedModel {
  /** Names the family in profiles, reports and prices. */
  readonly label: string;
  readonly family: Family;
  /** The built-in family whose price counts where `price` is absent; undefined: none. */
  readonly base: string | undefined;
  readonly price: OwnPrice | undefined;
}

/** Model line and version in a model id. Versions have one or two digits, so a release date never matches. */
const MODEL_ID = /claude-(?:(mythos-preview)|(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?)(?!\d)/;

/** The part of a Claude model id that names its line and version, on every provider; undefined for other ids. */
export function familyKey(model: string): string | undefined {
  const match = MODEL_ID.exec(model);
  if (!match) return undefined;
  const [, preview, line, major, minor] = match;
  return preview ?? [line, major, minor].filter((part) => part !== undefined).join('-');
}

/** Whether a model that is known only in part thinks without being asked is not known. */
const UNSTATED: Family = { ...UNKNOWN_FAMILY, thinksByDefault: false };

const builtIn = (name: string): string | undefined => {
  const key = familyKey(name);
  return key !== undefined && Object.hasOwn(FAMILIES, key) ? key : undefined;
};

/** An entry with the values that it leaves out. */
export function resolveModel({ name, like, family, price }: OwnModel): ResolvedModel {
  const label = name.replace(/\*$/, '');
  const key = builtIn(like ?? label);
  const base = (key === undefined ? undefined : FAMILIES[key]) ?? UNSTATED;
  return { label, family: { ...base, ...family }, base: key === undefined ? undefined : `claude-${key}`, price };
}

let names: ReadonlyMap<string, ResolvedModel> = new Map();
/** The longest first. */
let beginnings: readonly ResolvedModel[] = [];

/** Sets the models of this deployment. A process calls it once, at its start: before it, only the built-in families exist. */
export function useOwnModels(models: readonly OwnModel[]): void {
  const isBeginning = ({ name }: OwnModel): boolean => name.endsWith('*');
  names = new Map(models.filter((model) => !isBeginning(model)).map((model) => [model.name, resolveModel(model)]));
  beginnings = models
    .filter(isBeginning)
    .map(resolveModel)
    .sort((one, other) => other.label.length - one.label.length);
}

/** The deployment's models: those with a name first. */
export const ownModels = (): readonly ResolvedModel[] => [...names.values(), ...beginnings];

/** Names of the deployment's models that can be asked by them. */
export const ownModelNames = (): readonly string[] => [...names.keys()];

/** The family of a model id: an entry with its name, one with the name of its family, the built-in family, an entry with its beginning. Null: none has it. */
export function familyOf(model: string): { readonly label: string; readonly family: Family } | null {
  const id = apiModel(model);
  const key = familyKey(id);
  const own = names.get(id) ?? (key === undefined ? undefined : names.get(`claude-${key}`));
  if (own) return own;
  const family = key !== undefined && Object.hasOwn(FAMILIES, key) ? FAMILIES[key] : undefined;
  if (family) return { label: `claude-${key}`, family };
  return beginnings.find(({ label }) => id.startsWith(label)) ?? null;
}
