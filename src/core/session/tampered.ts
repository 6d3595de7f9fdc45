import { DomainError } from '../errors.js';
import type { FaultKind, LogFault } from '../ports.js';

const FAULTS: Readonly<Record<FaultKind, string>> = {
  missing: 'is not in its place',
  altered: 'is not the one that was recorded, or does not follow the event before it',
  content: 'does not have the content that was recorded',
  erasure: 'does not agree with what the log says about its erasure',
  parent: 'continues another log than the one that is stored',
  head: 'is not where the log ends',
  fold: 'cannot be applied',
  unreadable: 'cannot be read',
};

/** A log that does not verify is refused as a whole from there on: neither a reader nor the model gets anything of it. */
export function logTampered(sessionId: string, { seq, kind }: LogFault): DomainError {
  const text = `Event ${seq} of session ${sessionId} ${FAULTS[kind]}: the rows of the log were changed or damaged. Nothing of it is shown. An audit of the session says more; restore it from a backup.`;
  return new DomainError('log_tampered', text, [], { sessionId, seq, kind });
}
