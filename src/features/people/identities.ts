import { createHash } from 'node:crypto';
import { lookOf } from '../../../packages/protocol/access/names.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { requireStorable } from '../../platform/postgres/store/row.js';

/**
 * Derived from what the name looks like, so that every process computes the same id without a query, and no two users or tenants have names that look alike. Names that
 * cannot be stored are rejected before, because their hashes could be equal for different names.
 */
export function tenantIdOf(name: string): string {
  return uuidFromSha256(sha256(`tenant\0${visible(name, '/tenant')}`).toString('hex'));
}

export function userIdOf(tenantId: string, name: string): string {
  return uuidFromSha256(sha256(`user\0${tenantId}\0${visible(name, '/user')}`).toString('hex'));
}

/** What identifies a person at an issuer, as it is stored: subjects may be personal. */
export function identityHash(issuer: string, subject: string): Buffer<ArrayBuffer> {
  return sha256(JSON.stringify([issuer, subject]));
}

function visible(name: string, pointer: string): string {
  const look = lookOf(requireStorable(name, pointer));
  if (look === '') throw new DomainError('invalid_input', 'A name must have a visible character.', [{ pointer, text: 'has no visible character' }]);
  return look;
}

function sha256(text: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(text).digest() as Buffer<ArrayBuffer>;
}
