import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../../core/session/principal.js';

const principals = new WeakMap<Request, Principal>();

/** Metadata key of routes that anybody may call. */
export const OPEN = 'open to everybody';

/** CheckpointRecorder a route that anybody may call. */
export const Open = () => SetMetadata(OPEN, true);

export function identify(request: Request, principal: Principal): void {
  principals.set(request, principal);
}

/** Who asks. Only for routes behind the guard. */
export function callerOf(request: Request): Principal {
  const principal = principals.get(request);
  if (!principal) throw new Error('the route is open, so nobody is known to call it');
  return principal;
}

/** Injects the principal into a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => callerOf(context.switchToHttp().getRequest<Request>()));
