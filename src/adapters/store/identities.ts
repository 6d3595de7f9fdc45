import { createHash, randomBytes } from 'node:crypto';
import { uuidFromSha256 } from '../../core/message/ids.js';
import { requireStorable } from './row.js';

/**
 * Derived from the name, so that every process computes the same id without a query, and names are unique. Names that cannot be stored are rejected before, because
 * their hashes could be equal for different names.
 */
export function tenantIdOf(name: string): string {
  return uuidFromSha256(sha256(`tenant\0${requireStorable(name, '/tenant')}`).toString('hex'));
}

export function userIdOf(tenantId: string, name: string): string {
  return uuidFromSha256(sha256(`user\0${tenantId}\0${requireStorable(name, '/user')}`).toString('hex'));
}

/** 256 random bits cannot be guessed, so an unsalted hash is enough to store. The prefix tells what kind of secret was found in a log or a repository. */
export function newSecret(prefix: 'vb' | 'vbt' | 'vbc' | 'vbs'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

export function sha256(text: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(text).digest() as Buffer<ArrayBuffer>;
}
