const scale = Number(process.env['PROPERTY_SCALE'] ?? 1);
const minimum = Number(process.env['PROPERTY_RUNS'] ?? 0);
const seed = process.env['PROPERTY_SEED'];

/**
 * How often a property is tried: as often as its spec says, times `PROPERTY_SCALE`, and at least `PROPERTY_RUNS` times. `npm run check` sets a scale below 1
 * (jest.unit.config.mjs), `npm test` tries all. The input is random; with `PROPERTY_SEED` it is the same in every run, though
 * another one for each `part` of a property that is tried in parts.
 */
export function runs(usual = 100, part = 0): { readonly numRuns: number; readonly seed?: number } {
  return { numRuns: Math.max(1, Math.round(usual * scale), minimum), ...(seed ? { seed: Number(seed) + part } : {}) };
}
