import { DomainError } from '../../../packages/protocol/errors.js';

export const overtaken = (version: number): DomainError =>
  new DomainError('version_conflict', `The session has changed; it is at version ${version}.`, [], { version });

export const otherSummary = (summary: number): DomainError =>
  new DomainError('summary_outdated', `The summary was made from another one than ${summary}; read the present one and make it again.`, [], { summary });
