import { FAMILIES } from '../../../packages/normalizer/models/families.js';

/** A model of each family, an unknown one, and the same by way of other providers. */
export const MODELS: readonly string[] = [
  ...Object.keys(FAMILIES).map((family) => `claude-${family}`),
  'some-other-model',
  'anthropic.claude-opus-4-1-20250805-v1:0',
  'claude-sonnet-4-5@20250929',
];
