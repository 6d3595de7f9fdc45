import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route.
 * - `public`: no credentials.
 * - `member`: any valid token of a tenant.
 * - `owner`: the owner of the session in the path, or an admin of its tenant; for every other caller the session does not exist (404).
 *   Enforced where the session is loaded (core/session/access.ts), so that a request costs one load.
 * - `admin`: an admin of the tenant.
 * - `operator`: the operator of the deployment (operators.ts).
 */
export type Access = 'public' | 'member' | 'owner' | 'admin' | 'operator';

/** Metadata key of routes that admit a stream ticket in place of a token. */
export const TICKET = 'verbatim:ticket';

/** Metadata key of a route's access. */
export const ACCESS = 'verbatim:access';

export const RequireAccess = (access: Access): MethodDecorator => SetMetadata(ACCESS, access);
