import { z } from 'zod';
import { SCOPES } from '../../../packages/protocol/access/actions.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { TENANT_ROLES } from '../../../packages/protocol/access/roles.js';
import type { Settings } from '../../platform/config/env.js';
import { answersOffline } from '../../platform/config/offline.js';
import { label, LABEL_LENGTH, queryInteger, time, uuid } from './json.js';

const role = z.enum(TENANT_ROLES);
const scope = z.enum(SCOPES);

export const me = z
  .strictObject({
    tenantId: uuid,
    tenantName: z.string(),
    userId: uuid,
    userName: z.string(),
    role,
    groups: z.array(z.string()).meta({ description: 'As the identity provider names them; sessions may be shared with a group.' }),
    scopes: z.array(scope).nullable().meta({ description: 'What the credentials of the request are limited to; null: they are not.' }),
    tokenId: uuid.optional(),
    signInId: uuid.optional().meta({ description: 'Of a browser that is signed in by a cookie.' }),
    expiresAt: time.optional().meta({ description: 'When the credentials of the request expire; absent: never.' }),
    offline: z.literal(true).optional().meta({
      description: 'The built-in offline model answers, since the server has neither a key nor an address of the model API.',
    }),
    breakGlassMinutes: z.int().optional().meta({ description: 'How long an emergency access of the caller lasts; absent: the role has none.' }),
  })
  .meta({ id: 'Me' });

/** The caller as the API shows it. */
export function meOf(
  { tenantId, userId, role, groups, scopes, tokenId, signInId, expiresAt }: Principal,
  names: { readonly tenantName: string; readonly userName: string },
  settings: Parameters<typeof answersOffline>[0] & Pick<Settings, 'BREAK_GLASS_MINUTES'>,
) {
  return {
    tenantId,
    userId,
    role,
    groups,
    scopes,
    ...(tokenId === null ? {} : { tokenId }),
    ...(signInId === null ? {} : { signInId }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...names,
    ...(answersOffline(settings) ? { offline: true as const } : {}),
    ...(role === 'member' ? {} : { breakGlassMinutes: settings.BREAK_GLASS_MINUTES }),
  };
}

export const tokenBody = z
  .strictObject({
    name: label(LABEL_LENGTH).nullable().optional(),
    userName: label(LABEL_LENGTH).optional(),
    role: role.optional(),
    scopes: z
      .array(scope)
      .min(1)
      .max(SCOPES.length)
      .nullable()
      .optional()
      .meta({ description: 'What the token is limited to. Absent or null: as the credentials of the request.' }),
    expiresAt: time.nullable().optional(),
  })
  .meta({
    id: 'NewToken',
    examples: [
      { name: 'laptop', role: 'member' },
      { name: 'export', scopes: ['sessions:read'], expiresAt: '2030-01-01T00:00:00Z' },
    ],
  });

const tokenInfo = z
  .strictObject({
    id: uuid,
    name: z.string().nullable(),
    userId: uuid,
    role: role.meta({ description: 'Counts as far as the user has it.' }),
    scopes: z.array(scope).nullable().meta({ description: 'What the token is limited to; null: it is not.' }),
    createdAt: time,
    expiresAt: time.nullable(),
    parentId: uuid.nullable().meta({ description: 'The token that created it; revoking that one revokes this one.' }),
  })
  .meta({ id: 'TokenInfo' });

export const token = tokenInfo.extend({ token: z.string().meta({ description: 'Shown in this response only.' }) }).meta({ id: 'Token' });

export const tokens = z.strictObject({ data: z.array(tokenInfo), nextCursor: uuid.nullable() }).meta({ id: 'Tokens' });

export const tokensQuery = z.strictObject({
  limit: queryInteger(1, 200).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: uuid.optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const usersQuery = z.strictObject({
  limit: queryInteger(1, 200).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: uuid.optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const user = z
  .strictObject({
    id: uuid,
    name: z.string().meta({ description: 'Empty: the user is deleted.' }),
    role,
    createdAt: time,
    disabledAt: time.nullable().meta({ description: "Not null: none of the user's credentials is accepted." }),
    deletedAt: time.nullable(),
    sessions: z.int().meta({ description: 'Number of their sessions, with archived ones.' }),
    lastActiveAt: time.nullable().meta({ description: 'Last change of one of their sessions; null: they have none.' }),
  })
  .meta({ id: 'User' });

export const users = z.strictObject({ data: z.array(user), nextCursor: uuid.nullable() }).meta({ id: 'Users' });

export const userChangeBody = z
  .strictObject({ role: role.optional(), disabled: z.boolean().optional() })
  .meta({ id: 'UserChange', examples: [{ disabled: true }] });

export const toolEffect = z
  .enum(['read', 'edit', 'run'])
  .meta({ description: 'What a call may do: `read` changes nothing that needs a decision, `edit` files of the session, `run` anything.' });

export const configuredHooks = z
  .strictObject({
    data: z.array(
      z.strictObject({
        source: z.enum(['deployment', 'tenant']),
        plugin: z.string().optional().meta({ description: 'The plugin that brings it.' }),
        event: z.string(),
        matcher: z.string().nullable(),
        type: z.enum(['command', 'http']),
        command: z.string().optional(),
        url: z.string().optional().meta({ description: 'Without its query.' }),
        timeoutMs: z.number(),
      }),
    ),
  })
  .meta({ id: 'Hooks' });

export const configuredGates = z
  .strictObject({
    data: z.array(z.strictObject({ name: z.string(), enabled: z.boolean(), source: z.enum(['default', 'deployment', 'tenant']), description: z.string() })),
  })
  .meta({ id: 'NormalizeGates' });

export const alive = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Alive' });

export const ready = z
  .strictObject({ status: z.literal('ok'), checks: z.record(z.string(), z.enum(['up', 'down', 'waiting_for_standby', 'some_away'])) })
  .meta({ id: 'Ready' });
