import { DomainError } from '../errors.js';

/**
 * What is wrong with an event: `missing`: another one is in its place, or none; `altered`: it, or something before it, is not what was recorded; `content`: its data is not; `erasure`: it was erased
 * without an event that says so, or what was erased is there again; `parent`: the log that a fork shares is not the one that it was forked from; `head`: the log does not end where the store says; `fold`: it is as recorded, and cannot be applied; `archive`: what the object storage has of the archived log is
 * not what was put there, or is gone; `unreadable`: it cannot be read.
 */
export type FaultKind = 'missing' | 'altered' | 'content' | 'erasure' | 'parent' | 'head' | 'fold' | 'archive' | 'unreadable';

export interface LogFault {
  readonly seq: number;
  readonly kind: FaultKind;
}

const FAULTS: Readonly<Record<FaultKind, string>> = {
  missing: 'is not in its place',
  altered: 'is not the one that was recorded, or does not follow the event before it',
  content: 'does not have the content that was recorded',
  erasure: 'does not agree with what the log says about its erasure',
  parent: 'continues another log than the one that is stored',
  head: 'is not where the log ends',
  fold: 'cannot be applied',
  archive: 'and those after it are archived, and the object storage does not have them as they were recorded',
  unreadable: 'cannot be read',
};

/** A log that does not verify is refused as a whole from there on: neither a reader nor the model gets anything of it. */
export function logTampered(sessionId: string, { seq, kind }: LogFault): DomainError {
  const text = `Event ${seq} of session ${sessionId} ${FAULTS[kind]}: what is stored of the log was changed or damaged. Nothing of it is shown. An audit of the session says more; restore it from a backup.`;
  return new DomainError('log_tampered', text, [], { sessionId, seq, kind });
}

/** Of a read that was refused for it; null: for something else. */
export function faultIn(error: unknown): (LogFault & { readonly sessionId: string }) | null {
  if (!(error instanceof DomainError) || error.code !== 'log_tampered') return null;
  const { sessionId, seq, kind } = error.details;
  return { sessionId: String(sessionId), seq: Number(seq), kind: kind as FaultKind };
}
