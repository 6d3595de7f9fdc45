import { z } from 'zod';
import { uuid } from '../../http/schemas/json.js';
import { presenceState } from '../../http/schemas/live-schemas.js';

export const presenceBody = z
  .strictObject({ state: presenceState.meta({ description: '`left`: no longer present.' }) })
  .meta({ id: 'Presence', examples: [{ state: 'typing' }] });

export const people = z
  .strictObject({
    data: z.array(
      z.strictObject({ userId: uuid, name: z.string(), isOwner: z.boolean(), prompts: z.int().meta({ description: 'How many prompts they have submitted.' }) }),
    ),
  })
  .meta({
    id: 'People',
    description: 'The owner of a session, the users it was granted to, those who have submitted prompts, and those who have broken the glass.',
  });
