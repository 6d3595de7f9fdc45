import { z } from 'zod';
import { SESSION_ROLES } from '../../../packages/protocol/access/roles.js';
import { accessRecord } from '../../../packages/protocol/events/accesses.js';
import { schemasOf } from '../../http/schemas/schema-of-shape.js';
import { label, queryInteger, time, uuid } from '../../http/schemas/json.js';
import { versioned } from '../../http/schemas/session-schemas.js';

const REASON_LENGTH = 500;

const role = z.enum(SESSION_ROLES);
const principal = z.string().meta({ description: '`user:` and an id, or `group:` and a name.' });

export const grantBody = z.strictObject({ role }).meta({ id: 'NewGrant', examples: [{ role: 'viewer' }] });

export const grants = versioned(z.strictObject({ principal, role }).meta({ id: 'Grant' })).meta({ id: 'Grants' });

export const breakGlassBody = z
  .strictObject({ reason: label(REASON_LENGTH).meta({ description: 'Why; the owner of the session reads it. Without content of the session.' }) })
  .meta({ id: 'BreakGlass', examples: [{ reason: 'ticket 17: the user asks what was said' }] });

export const brokenGlass = z
  .strictObject({ version: z.int(), until: time })
  .meta({ id: 'BrokenGlass', description: 'Read access of the caller, until that time.' });

export const accessesQuery = z.strictObject({
  limit: queryInteger(1, 1_000).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: queryInteger(0, 1_000_000_000).optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const accesses = versioned(
  z
    .strictObject({
      ...schemasOf(accessRecord),
      at: time.meta({ description: 'The first read in it.' }),
    })
    .meta({ id: 'Access' }),
)
  .extend({
    brokenGlass: z.array(z.strictObject({ by: uuid, at: time, until: time, reason: z.string() }).meta({ id: 'GlassRecord' })).readonly(),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'Accesses' });

export const people = z
  .strictObject({
    data: z.array(
      z.strictObject({ userId: uuid, name: z.string(), isOwner: z.boolean(), prompts: z.int().meta({ description: 'How many prompts they have submitted.' }) }),
    ),
  })
  .meta({
    id: 'People',
    description: 'The owner of a session, the users it was granted to, those who have submitted prompts, and those who had emergency access.',
  });
