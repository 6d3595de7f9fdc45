import { z } from 'zod';
import { queryInteger, time, uuid } from './json.js';

export const signInMethods = z
  .strictObject({
    methods: z.array(z.enum(['link', 'oidc'])).meta({ description: '`link`: a one-time link; `oidc`: the identity provider, at `GET /v1/sign-in/oidc`.' }),
  })
  .meta({ id: 'SignInMethods' });

export const signInBody = z
  .strictObject({ code: z.string().min(1).max(200).meta({ description: 'The part of the one-time link after `#`.' }) })
  .meta({ id: 'NewSignIn', examples: [{ code: 'vbc_…' }] });

const signIn = z
  .strictObject({
    id: uuid,
    userId: uuid,
    method: z.enum(['link', 'oidc']),
    userAgent: z.string().nullable().meta({ description: 'What the browser calls itself.' }),
    createdAt: time,
    lastUsedAt: time.meta({ description: 'Written every ten minutes at most.' }),
    expiresAt: time,
    current: z.boolean().meta({ description: 'Whether it is the one of this request.' }),
  })
  .meta({ id: 'SignIn' });

export const signIns = z.strictObject({ data: z.array(signIn), nextCursor: uuid.nullable() }).meta({ id: 'SignIns' });

export const signInsQuery = z.strictObject({
  userId: uuid.optional().meta({ description: 'Only those of this user. Without it an admin gets those of the tenant; a member gets their own in any case.' }),
  limit: queryInteger(1, 200).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: uuid.optional().meta({ description: '`nextCursor` of the previous page.' }),
});
