/** How often a property is tried: as often as its spec says, or `PROPERTY_RUNS` times where that is more. */
export function runs(usual = 100): { readonly numRuns: number } {
  return { numRuns: Math.max(usual, Number(process.env['PROPERTY_RUNS'] ?? 0)) };
}
