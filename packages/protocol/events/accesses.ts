import { choice, text, time, uuid } from '../shape/shapes.js';
import type { TypeOf } from '../shape/shape.js';

const via = choice('grant', 'break_glass', 'link', 'fork');
/** By what right a caller read who does not own the session. */
export type AccessVia = TypeOf<typeof via>;

/** Who has read what they do not own; the event and the list of accesses have it. */
export const accessRecord = {
  reader: text.about('`user:` or `link:`, and an id.'),
  via,
  hour: time.about('The beginning of the hour.'),
  fork: uuid.optional('Of `via` fork: the session that the reader made, and reads without a record here.'),
};
