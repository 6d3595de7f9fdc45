import { type ModelAnswer, ModelError } from '../../../packages/normalizer/models/model-answer.js';

/** Stop reason of an answer that filled the context window (docs: Handling stop reasons). */
export const OUT_OF_WINDOW = 'model_context_window_exceeded';

/** Error messages of providers for input, or input plus `max_tokens`, above the window (docs: Context windows; Amazon Bedrock). */
const TEXTS = /prompt is too long|exceed context limit|input is too long for requested model/i;

/** Whether a request failed because it was too long. A 413 counts only for requests without files: otherwise omitting files is the remedy. */
export function isTooLong(
  { code, status, message }: Pick<ModelError, 'code' | 'status' | 'message'>,
  sent: { readonly payload: { readonly messages: readonly unknown[] } } | null,
): boolean {
  if (code === OUT_OF_WINDOW) return true;
  if (status === 413) return sent !== null && !holdsFile(sent.payload.messages);
  return status === 400 && TEXTS.test(message);
}

/** An answer cut off by the full window, as an error; the partial answer is kept for readers. */
export function outOfWindow({ message, providerRequestId }: ModelAnswer): ModelError {
  return new ModelError(OUT_OF_WINDOW, "The answer was cut off because the model's context window was full.", null, false, null, providerRequestId, message);
}

function holdsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('type' in value && (value.type === 'image' || value.type === 'document')) return true;
  return Object.values(value).some(holdsFile);
}
