import type { Json } from './content.js';
import type { ModelMessage } from './message.js';
import { isObject, type UnknownObject } from './unknown-json.js';

/** Changes that the API made to the input of an answer, such as thinking blocks it dropped; empty when it reported none (docs: Preserved thinking), or in a form that is not known. */
export function inputTransformationsIn(message: ModelMessage): { readonly inputTransformations?: readonly Json[] } {
  const given = message['input_transformations'];
  return Array.isArray(given) && given.length > 0 && given.every(isTransformation) ? { inputTransformations: given as readonly Json[] } : {};
}

/** Why the API could not reuse the prompt cache of the request before, as it reported it; absent when it reported nothing (docs: Cache diagnostics), or in a form that is not known. */
export function cacheDiagnosticsIn(message: ModelMessage): { readonly cacheDiagnostics?: Json } {
  const given = message['diagnostics'];
  return isObject(given) && isReason(given['cache_miss_reason']) ? { cacheDiagnostics: given as Json } : {};
}

const isTransformation = (given: unknown): boolean => isObject(given) && ['type', 'path', 'reason'].every((name) => isTextOrAbsent(given[name]));

const isReason = (given: unknown): boolean => given === undefined || given === null || (isObject(given) && isMiss(given));

const isMiss = ({ type, cache_missed_input_tokens: tokens }: UnknownObject): boolean =>
  typeof type === 'string' && (tokens === undefined || Number.isFinite(tokens));

const isTextOrAbsent = (given: unknown): boolean => given === undefined || typeof given === 'string';
