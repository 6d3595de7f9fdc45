import { createHash, randomUUID } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { CommandContext } from '../engine/commands/context.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { uuidFromSha256 } from '../../packages/protocol/message/ids.js';
import { callerOf } from './access/caller.js';
import { workloadOf } from './request-context.js';
import { bodyDigestOf } from './body/body.interceptor.js';
import { pathId } from './path-id.js';
import type { AuthorizedCaller } from '../../packages/protocol/access/principal.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
const ENTITY_TAG = /^"(\d{1,15})"$/;

/**
 * The command context of a request. With an `Idempotency-Key`, the command id is derived from tenant, user and key, so that a repeat finds the receipt of the
 * first request in every process. The id of a session created under a key is derived from it for the same reason.
 */
export function commandContext(request: Request): CommandContext {
  const principal = callerOf(request);
  const commandId = commandIdOf(request, principal);
  const { id } = request.params;
  const workload = workloadOf(request);
  if (workload === null) throw headerFault('X-Workload', 'must be 1 to 128 visible ASCII characters');
  return {
    principal,
    sessionId: id === undefined ? sessionIdOf({ commandId }) : pathId(id),
    commandId,
    requestHash: sha256([request.method, request.path, request.headers['if-match'] ?? null, bodyDigestOf(request)]),
    expectedVersion: expectedVersionOf(request),
    ...(workload === undefined ? {} : { workload }),
  };
}

/** The id of a session that a command creates. */
export function sessionIdOf({ commandId }: Pick<CommandContext, 'commandId'>): string {
  return uuidFromSha256(sha256(['session', commandId]));
}

export const injectedContext = (_: unknown, context: ExecutionContext): CommandContext => commandContext(context.switchToHttp().getRequest<Request>());

/** Injects the command context into a route. */
export const CommandContextOf = createParamDecorator(injectedContext);

/** Injects the version that the caller expects; null: none. */
export const ExpectedVersion = createParamDecorator((_: unknown, context: ExecutionContext) => expectedVersionOf(context.switchToHttp().getRequest<Request>()));

function commandIdOf(request: Request, { tenantId, userId }: AuthorizedCaller): string {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return randomUUID();
  if (typeof key !== 'string' || !KEY.test(key)) throw headerFault('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  return uuidFromSha256(sha256([tenantId, userId, key]));
}

function expectedVersionOf(request: Request): number | null {
  const given = request.headers['if-match'];
  if (given === undefined || given === '*') return null;
  const version = ENTITY_TAG.exec(given)?.[1];
  if (version === undefined) throw headerFault('If-Match', 'must be one version in quotes, such as "7"');
  return Number(version);
}

function headerFault(name: string, text: string): DomainError {
  return new DomainError('invalid_input', `The header ${name} ${text}.`, [{ pointer: name, text }]);
}

function sha256(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
