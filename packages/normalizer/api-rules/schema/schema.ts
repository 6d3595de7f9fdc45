import type { Problem } from '../problem.js';
import { continuesThread, type Stage } from '../parsed-request.js';
import { dialectOf } from './dialect.js';
import { requestShape } from './request.js';
import type { Place, Shape } from './shape.js';

/** Type and presence of every field (docs: API reference, request schema). */
export const schema: Stage = ({ body, profile, settings }, report) => {
  const dialect = dialectOf(profile, settings.betas ?? [], settings.apiVersion);
  const key = JSON.stringify(dialect);
  let shape = SHAPES.get(key);
  if (!shape) SHAPES.set(key, (shape = requestShape(dialect)));
  const problems: Problem[] = [];
  shape(body, BODY, problems);
  // A continued thread may have nothing new, such as after a pause.
  for (const problem of problems) if (problem.rule !== 'messages-empty' || !dialect.threads || !continuesThread(body)) report(problem);
};

/** One shape per dialect; the number of dialects is small and bounded. */
const SHAPES = new Map<string, Shape>();

const BODY: Place = { key: '' };
