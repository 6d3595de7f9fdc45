import fc from 'fast-check';
import { NORMALIZE_GATES, type NormalizeGates } from '../../../packages/protocol/gates.js';

/** Any gates. `advisor` is off: it stands for a header, which the body alone does not show. */
export const anyGates: fc.Arbitrary<NormalizeGates> = fc.record(
  Object.fromEntries(NORMALIZE_GATES.map((gate) => [gate, gate === 'advisor' ? fc.constant(false) : fc.boolean()])) as unknown as {
    readonly [Gate in keyof NormalizeGates]: fc.Arbitrary<boolean>;
  },
);
