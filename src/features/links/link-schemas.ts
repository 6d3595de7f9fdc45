import { z } from 'zod';
import { queryInteger, time, uuid } from '../../http/schemas/json.js';
import { message } from '../../http/schemas/message-schemas.js';

const at = uuid.meta({ description: 'The last message that it shows. Without it all of the current conversation, as it grows.' });

export const linkBody = z
  .strictObject({ role: z.literal('viewer').optional(), expiresAt: time, at: at.optional() })
  .meta({ id: 'NewLink', examples: [{ role: 'viewer', expiresAt: '2999-12-31T00:00:00Z' }] });

const info = {
  id: uuid,
  role: z.literal('viewer'),
  at: at.nullable(),
  createdBy: uuid,
  createdAt: time,
  expiresAt: time,
  uses: z.int().meta({ description: 'Requests that it was used for.' }),
};

export const link = z
  .strictObject({ ...info, secret: z.string().meta({ description: 'Shown in this response only. Sent as a bearer token to `GET /v1/shared`.' }) })
  .meta({ id: 'Link' });

export const links = z.strictObject({ data: z.array(z.strictObject(info).meta({ id: 'LinkInfo' })) }).meta({ id: 'Links' });

export const sharedQuery = z.strictObject({
  limit: queryInteger(1, 500).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: queryInteger(0, 1_000_000_000).optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const shared = z.strictObject({ data: z.array(message), nextCursor: z.string().nullable() }).meta({ id: 'Shared' });
