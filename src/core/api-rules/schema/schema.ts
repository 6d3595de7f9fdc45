import type { Problem } from '../problem.js';
import type { Stage } from '../reading.js';
import { dialectOf } from './dialect.js';
import { requestShape } from './request.js';
import type { Place, Shape } from './shape.js';

/** The shape of every field, as the API's first look at a body judges it (docs: the API reference's request schema). */
export const schema: Stage = ({ body, profile, settings }, report) => {
  const dialect = dialectOf(profile, settings.betas ?? []);
  const key = JSON.stringify(dialect);
  let shape = SHAPES.get(key);
  if (!shape) SHAPES.set(key, (shape = requestShape(dialect)));
  const problems: Problem[] = [];
  shape(body, BODY, problems);
  for (const problem of problems) report(problem);
};

/** One shape per dialect, of which there are a handful. */
const SHAPES = new Map<string, Shape>();

const BODY: Place = { key: '' };
