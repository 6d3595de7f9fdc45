import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { AccessLog } from '../../engine/commands/access-log.js';
import { type Action, isSessionAction } from '../../../packages/protocol/access/actions.js';
import { authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { pathId } from '../path-id.js';
import { ACCESS, type Access } from './access.js';
import { callerOf } from './caller.js';

/** Actions whose answers have no content of the session. */
const WITHOUT_CONTENT: ReadonlySet<Action> = new Set<Action>([
  'session.audit',
  'session.accesses',
  'session.tools',
  'session.configure',
  'session.grant',
  'session.leave',
  'session.erase',
  'session.hold',
  'session.break_glass',
]);

/**
 * Records that a command's answer showed content to a caller who does not own the session, before it is sent: after the command, which may be for one version only. Routes that
 * read are recorded before they read (access.guard.ts).
 */
@Injectable()
export class AccessRecords implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly accesses: AccessLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const { id } = request.params;
    const isShown = access !== undefined && access !== 'public' && access !== 'operator' && isSessionAction(access) && !WITHOUT_CONTENT.has(access);
    if (!isShown || access === 'session.read' || id === undefined) return next.handle();
    const caller = callerOf(request);
    return next.handle().pipe(
      mergeMap(async (body: unknown) => {
        // A prompt that begins a turn is answered with its ids; a command that is answered at once, with what it displays.
        if (access === 'session.prompt' && !(typeof body === 'object' && body !== null && 'display' in body)) return body;
        await this.accesses.record(authorizedCaller(caller, 'session.read', caller.now), pathId(id));
        return body;
      }),
    );
  }
}
