/** Accepts blocks of the advisor tool in a request (docs: Advisor tool). */
const ADVISOR = 'advisor-tool-2026-03-01';

/** Accepts `diagnostics.previous_message_id`; the answer then says why the prompt cache was missed (docs: Cache diagnostics). */
export const CACHE_DIAGNOSIS = 'cache-diagnosis-2026-04-07';

/** Values of the `anthropic-beta` header of one request: those of the deployment, and those that the gates in force need. */
export function requestBetas(configured: readonly string[], gates: { readonly advisor: boolean }): readonly string[] {
  return gates.advisor && !configured.includes(ADVISOR) ? [...configured, ADVISOR] : configured;
}
