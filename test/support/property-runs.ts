const scale = Number(process.env['PROPERTY_SCALE'] ?? 1);
const minimum = Number(process.env['PROPERTY_RUNS'] ?? 0);

/**
 * How often a property is tried: as often as its spec says, times `PROPERTY_SCALE`, and at least `PROPERTY_RUNS` times. `npm run check` sets a scale below 1
 * (jest.unit.config.mjs), `npm test` tries all.
 */
export function runs(usual = 100): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(usual * scale), minimum) };
}
