import type { Stage } from './parsed-request.js';
import { textOf } from './parsed-request.js';

/** The model must exist (docs: Errors, `not_found_error`). */
export const model: Stage = ({ body, settings }, report) => {
  const name = textOf(body['model']);
  if (name === '' || (settings.modelExists?.(name) ?? true)) return;
  report({ rule: 'unknown-model', at: 'model', text: `model: ${name}`, status: 404 });
};
