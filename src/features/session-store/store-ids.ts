import { hash } from 'node:crypto';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';

/** What a program calls a session file: its project, its session, and within it the file of a subagent; null: the main file. */
export interface FileKey {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath: string | null;
}

interface Owner {
  readonly tenantId: string;
  readonly userId: string;
}

/**
 * The session of a file, the same in every process. Made with the user: two users who name a file alike have two sessions. `erased`: how many sessions of this file were erased
 * before.
 */
export function sessionOfFile({ tenantId, userId }: Owner, { projectKey, sessionId, subpath }: FileKey, erased: number): string {
  return derived('session file', tenantId, userId, projectKey, sessionId, subpath, erased);
}

/** The uuid of a message whose line has none of its own. */
export const derivedUuid = (sessionId: string, name: string): string => derived(sessionId, name);

export const sha256 = (text: string): string => hash('sha256', text);

/** Of lines as they were sent. */
export const batchDigest = (lines: readonly string[]): string => sha256(JSON.stringify(lines));

/** What the session list finds the files by. The project is a path of a computer, so its digest is there. */
export function fileMetadata(owner: Owner, { projectKey, sessionId, subpath }: FileKey) {
  return { project: projectOf(owner, projectKey), session: sessionId, subpath };
}

export const projectOf = ({ tenantId, userId }: Owner, projectKey: string): string => sha256(JSON.stringify(['project', tenantId, userId, projectKey]));

const derived = (...parts: readonly unknown[]): string => uuidFromSha256(sha256(JSON.stringify(parts)));
