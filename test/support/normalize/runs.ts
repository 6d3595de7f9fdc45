/** The number of cases of a property: `usual`, or `PROPERTY_RUNS` where that is more. */
export function runs(usual = 100): { readonly numRuns: number } {
  return { numRuns: Math.max(usual, Number(process.env['PROPERTY_RUNS'] ?? 0)) };
}
