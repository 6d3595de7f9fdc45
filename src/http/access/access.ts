import { SetMetadata } from '@nestjs/common';
import type { Action } from '../../../packages/protocol/access/actions.js';

/**
 * Who may call a route.
 * - `public`: no credentials.
 * - an action: the callers that packages/protocol/access lets do it. An action in the tenant is checked by the guard; one in a session where the session is loaded
 *   (src/session/state/access.ts), so that a request costs one load. For a caller without a role in it the session does not exist (404).
 * - `operator`: the operator of the deployment (operators.ts).
 */
export type Access = 'public' | Action | 'operator';

/** Metadata key of routes that admit a stream ticket in place of a token. */
export const TICKET = 'verbatim:ticket';

/** Metadata key of a route's access. */
export const ACCESS = 'verbatim:access';

export const RequireAccess = (access: Access): MethodDecorator => SetMetadata(ACCESS, access);

/** Metadata key of routes that also take the token in the header `x-api-key`, which counts more than the other. */
export const API_KEY = 'verbatim:api-key';

export const ApiKeyHeader = (): MethodDecorator => SetMetadata(API_KEY, true);
