import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const principals = new WeakMap<Request, AuthorizedCaller>();

export function identify(request: Request, principal: AuthorizedCaller): void {
  principals.set(request, principal);
}

/** The authenticated principal. Only for routes that require a token. */
export function callerOf(request: Request): AuthorizedCaller {
  const principal = principals.get(request);
  if (!principal) throw new Error('the request has no principal: the route is public, or the guard did not run');
  return principal;
}

/** Injects the principal into a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => callerOf(context.switchToHttp().getRequest<Request>()));
