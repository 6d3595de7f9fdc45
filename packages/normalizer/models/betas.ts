import type { ModelOptions } from '../../protocol/message/model-options.js';

/** Accepts blocks of the advisor tool in a request (docs: Advisor tool). */
const ADVISOR = 'advisor-tool-2026-03-01';

/** A window of a million tokens on models that have it only on request (docs: Context windows). */
const LONG_CONTEXT = 'context-1m-2025-08-07';

/** Ends the id of a model whose long window is asked for, as Claude Code writes it. The API does not know such an id. */
const LONG_CONTEXT_SUFFIX = /\[1m\]$/i;

/** The id by which the API knows a model. */
export const apiModel = (model: string): string => model.replace(LONG_CONTEXT_SUFFIX, '');

/** Accepts `fallbacks` in a request (docs: Refusals and fallback). */
const FALLBACKS = 'server-side-fallback-2026-07-01';

const OWN: ReadonlySet<string> = new Set([ADVISOR, LONG_CONTEXT, FALLBACKS]);

/**
 * Whether a request asks why the provider's prompt cache was missed (docs: Cache diagnostics). A deployment that configured no betas may have a gateway that takes only
 * what the API has had from the beginning.
 */
export const asksForDiagnosis = (betas: readonly string[]): boolean => betas.some((name) => !OWN.has(name));

/** Values of the `anthropic-beta` header of one request: those of the deployment, and those that the gates in force, the model's id and the options need. */
export function requestBetas(
  configured: readonly string[],
  gates: { readonly advisor: boolean },
  model = '',
  { fallbacks }: Pick<ModelOptions, 'fallbacks'> = {},
): readonly string[] {
  const all = [
    ...(gates.advisor ? [ADVISOR] : []),
    ...(LONG_CONTEXT_SUFFIX.test(model) ? [LONG_CONTEXT] : []),
    ...(fallbacks === undefined || fallbacks.length === 0 || configured.some((name) => name.startsWith('server-side-fallback-')) ? [] : [FALLBACKS]),
  ];
  const needed = all.filter((name) => !configured.includes(name));
  return needed.length > 0 ? [...configured, ...needed] : configured;
}
