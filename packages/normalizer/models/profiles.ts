import { UNKNOWN_FAMILY, type Family } from './families.js';
import { familyKey, familyOf } from './own-models.js';
import { PROVIDERS, type ProviderLimits } from './providers.js';
import type { ImageLimits, Provider } from './profile-terms.js';

export type { Effort, ImageLimits, Provider, ThinkingMode } from './profile-terms.js';

/** Model of a session whose settings name none. */
export const DEFAULT_MODEL = 'claude-sonnet-5-5';

/** Cache markers of one request, of every model (docs: Prompt caching). */
export const MAX_CACHE_MARKERS = 4;

/** What one model accepts on one provider. */
export interface Profile extends Family, Omit<ProviderLimits, 'image'> {
  /** `family/provider`. Part of stored events, so names must not change. */
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

/** The provider that a profile's name ends in; undefined for any other text. */
export function providerIn(profileName: string): Provider | undefined {
  const name = profileName.slice(profileName.indexOf('/') + 1);
  return Object.hasOwn(PROVIDERS, name) ? (name as Provider) : undefined;
}

/** The family that a profile's name begins with. */
export const familyIn = (profileName: string): string => profileName.slice(0, profileName.indexOf('/'));

/** The profile of a model id in its provider's format: `claude-opus-5`, `us.anthropic.claude-…-v1:0`, `claude-…@date`. */
export function profileFor(model: string, provider: Provider = providerOf(model)): Profile {
  const { label, family } = familyOf(model) ?? { label: 'unknown', family: UNKNOWN_FAMILY };
  const limits = PROVIDERS[provider];
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
    maxCacheMarkers: MAX_CACHE_MARKERS,
  };
}

/** Whether a table has this model: the built-in one, or that of the deployment. Other models get the strictest profile, named `unknown`. */
export const isKnownModel = (model: string): boolean => familyOf(model) !== null;

/** Whether two ids name the same model, in any release and on any provider. Null when one of them is not a Claude model id. */
export function isSameFamily(one: string, other: string): boolean | null {
  const [first, second] = [familyKey(one), familyKey(other)];
  return first === undefined || second === undefined ? null : first === second;
}

function providerOf(model: string): Provider {
  if (model.includes('anthropic.claude-') || /^arn:aws[\w-]*:bedrock:/.test(model)) return 'bedrock';
  return model.includes('@') || model.includes('publishers/anthropic/models/') ? 'vertex' : 'anthropic';
}
