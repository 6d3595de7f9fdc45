import { DomainError } from '../../../packages/protocol/errors.js';

/** The report is about a turn or step that has moved on. */
export function turnOver(): DomainError {
  return new DomainError('turn_over', 'The turn is over or was continued by another worker.');
}

/** The turn is unchanged, but an event was appended that the worker's next step must take into account. */
export function stateChanged(): DomainError {
  return new DomainError('version_conflict', 'The session has changed since the worker read it.');
}
