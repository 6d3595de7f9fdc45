import { DomainError } from '../errors.js';

/** A worker reports of a turn, or a step, that is no longer its own. */
export function turnOver(): DomainError {
  return new DomainError('turn_over', 'The turn has moved on without this worker.');
}

/** The turn is still this worker's, but something has happened that its next step must take into account. */
export function stateChanged(): DomainError {
  return new DomainError('version_conflict', 'The session has moved on since the worker looked at it.');
}
