import { z } from 'zod';
import { queryInteger, time, uuid } from '../../http/schemas/json.js';

export const signInMethods = z
  .strictObject({
    methods: z.array(z.enum(['link', 'oidc'])).meta({ description: '`link`: a one-time link; `oidc`: the identity provider, at `GET /v1/sign-in/oidc`.' }),
  })
  .meta({ id: 'SignInMethods' });

export const signInBody = z
  .strictObject({
    code: z.string().min(1).max(200).optional().meta({ description: 'The part of the one-time link after `#`.' }),
    token: z.string().min(1).max(20_000).optional().meta({ description: 'A token, or a signed token of your issuer.' }),
  })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), 'must hold one of `code` and `token`')
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

/** A page of this origin: a path that no browser takes for another host. */
const ownPath = z
  .string()
  .max(1_000)
  .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, 'must be a path of this origin, such as /console');

export const oidcQuery = z.strictObject({
  returnTo: ownPath.optional().meta({ description: 'The page to show afterwards, a path of this origin. Absent: the console.' }),
});

/** Whatever a provider sends is checked by the client library. */
export const oidcCallbackQuery = z.looseObject({
  code: z.string().optional().meta({ description: 'As the identity provider sends it.' }),
  state: z.string().optional().meta({ description: 'As the identity provider sends it.' }),
  error: z.string().optional().meta({ description: 'As the identity provider sends it.' }),
});
