import type { Json } from './content.js';
import type { ModelMessage } from './message.js';

/** Changes that the API made to the input of an answer, such as thinking blocks it dropped; empty when it reported none (docs: Preserved thinking). */
export function inputTransformationsIn(message: ModelMessage): { readonly inputTransformations?: readonly Json[] } {
  const given = message['input_transformations'];
  return Array.isArray(given) && given.length > 0 ? { inputTransformations: given as readonly Json[] } : {};
}

/** Why the API could not reuse the prompt cache of the request before, as it reported it; absent when it reported nothing (docs: Cache diagnostics). */
export function cacheDiagnosticsIn(message: ModelMessage): { readonly cacheDiagnostics?: Json } {
  const given = message['diagnostics'];
  return typeof given === 'object' && given !== null ? { cacheDiagnostics: given as Json } : {};
}
