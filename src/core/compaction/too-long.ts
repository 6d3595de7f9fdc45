import { type ModelAnswer, ModelError } from '../models/model-answer.js';

/** Stop reason of an answer that ended because the window was full (docs: Handling stop reasons). */
export const OUT_OF_WINDOW = 'model_context_window_exceeded';

/** What providers say when the input, or the input and what may be answered, is more than the window (docs: Context windows; Amazon Bedrock). */
const TEXTS = /prompt is too long|exceed context limit|input is too long for requested model/i;

/** Whether a request failed because there was too much to send. A body that is too big is that only where leaving files out cannot make it smaller. */
export function isTooLong(
  { code, status, message }: Pick<ModelError, 'code' | 'status' | 'message'>,
  sent: { readonly payload: { readonly messages: readonly unknown[] } } | null,
): boolean {
  if (code === OUT_OF_WINDOW) return true;
  if (status === 413) return sent !== null && !holdsFile(sent.payload.messages);
  return status === 400 && TEXTS.test(message);
}

/** An answer without an end, as the failure it is: what had arrived is for readers. */
export function outOfWindow({ message, providerRequestId }: ModelAnswer): ModelError {
  return new ModelError(OUT_OF_WINDOW, "The answer broke off because the model's context window was full.", null, false, null, providerRequestId, message);
}

function holdsFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('type' in value && (value.type === 'image' || value.type === 'document')) return true;
  return Object.values(value).some(holdsFile);
}
