import { z } from 'zod';
import { time, uuid } from './json.js';

/** Who has read what they do not own; the event and the list have it. */
export const accessRecord = {
  reader: z.string().meta({ description: '`user:` or `link:`, and an id.' }),
  via: z.enum(['grant', 'break_glass', 'link', 'fork']),
  hour: time.meta({ description: 'The beginning of the hour.' }),
  fork: uuid.optional().meta({ description: 'Of `via` fork: the session that the reader made, and reads without a record here.' }),
};
