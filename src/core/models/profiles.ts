import { FAMILIES, UNKNOWN_FAMILY, type Family } from './families.js';
import { PROVIDERS, type ProviderLimits } from './providers.js';
import type { ImageLimits, Provider } from './profile-terms.js';

export type { Effort, ImageLimits, Provider, ThinkingMode } from './profile-terms.js';

/** The model that a session gets when nobody names one. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** What one model on one provider accepts. */
export interface Profile extends Family, Omit<ProviderLimits, 'image'> {
  /** `family/provider`. It goes into the log, so a family keeps its name for ever. */
  readonly name: string;
  readonly provider: Provider;
  /** Such as `claude-opus-5-5`, or `unknown`. */
  readonly family: string;
  readonly image: ImageLimits;
  /** Pages of all PDFs in one request. */
  readonly maxPdfPages: number;
  readonly maxMessages: number;
  readonly maxCacheMarkers: number;
}

/** Line and version of a model id: a version of one or two digits, so that a release date is never taken for one. */
const MODEL_ID = /claude-(?:(mythos-preview)|(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?)(?!\d)/;

/** The profile of a model id as its provider writes it: `claude-opus-5`, `us.anthropic.claude-…-v1:0`, `claude-…@date`. */
export function profileFor(model: string, provider: Provider = providerOf(model)): Profile {
  const key = familyKey(model);
  const family = key === undefined ? UNKNOWN_FAMILY : (FAMILIES[key] ?? UNKNOWN_FAMILY);
  const limits = PROVIDERS[provider];
  const label = key !== undefined && isKnownModel(model) ? `claude-${key}` : 'unknown';
  const longContext = family.contextWindow >= 1_000_000;
  return {
    ...family,
    ...limits,
    name: `${label}/${provider}`,
    provider,
    family: label,
    systemRole: family.systemRole && limits.systemRole,
    image: { ...limits.image, maxCount: longContext ? 600 : 100 }, // docs: Vision
    maxPdfPages: longContext ? 600 : 100, // docs: PDF support
    maxMessages: 100_000, // docs: Messages API, `messages`
    maxCacheMarkers: 4, // docs: Prompt caching
  };
}

/** Whether the table has this model; any other gets the strictest profile, under the name `unknown`. */
export function isKnownModel(model: string): boolean {
  const key = familyKey(model);
  return key !== undefined && Object.hasOwn(FAMILIES, key);
}

/** Whether two ids are releases, or providers' names, of one model. Null where one of them names no model of this API. */
export function isSameFamily(one: string, other: string): boolean | null {
  const [first, second] = [familyKey(one), familyKey(other)];
  return first === undefined || second === undefined ? null : first === second;
}

function familyKey(model: string): string | undefined {
  const match = MODEL_ID.exec(model);
  if (!match) return undefined;
  const [, preview, line, major, minor] = match;
  return preview ?? [line, major, minor].filter((part) => part !== undefined).join('-');
}

function providerOf(model: string): Provider {
  if (model.includes('anthropic.claude-')) return 'bedrock';
  return model.includes('@') ? 'vertex' : 'anthropic';
}
