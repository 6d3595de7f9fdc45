import { classifyError, stateOf } from '../connection/classify-error.js';
import { isUnanswered } from '../connection/client-options.js';
import { errorText } from '../database-error.js';

/**
 * Why a standby has not answered a read.
 *
 * - `lagging`: it has not replayed what the primary had committed.
 * - `silent`: it does not answer in time.
 * - `lost`: it cannot be reached, or the connection broke.
 * - `foreign`: it is no standby, or one of another database or timeline.
 * - `cancelled`: replay needed what the read was using.
 * - `failed`: anything else, such as a statement that took too long, or an error of the statement itself, which the primary then answers with, too.
 */
export type StandbyFault = 'lagging' | 'silent' | 'lost' | 'foreign' | 'cancelled' | 'failed';

export class StandbyFailure extends Error {
  override readonly name = 'StandbyFailure';

  /** `isLasting`: the standby is left alone for a while. */
  constructor(
    readonly fault: StandbyFault,
    cause: unknown,
    readonly isLasting = LASTING.has(fault),
  ) {
    super(errorText(cause), { cause });
  }
}

const LASTING: ReadonlySet<StandbyFault> = new Set(['lagging', 'silent', 'lost', 'foreign']);

/** Of `require_replayed`. */
const FOREIGN = 'VB005';
const LAGGING = 'VB006';
/** The standby has not replayed the migration that makes the function. */
const NO_FUNCTION = '42883';
/** Serialization failure: on a standby, a conflict with recovery. */
const CONFLICT = '40001';

export function standbyFailure(error: unknown): StandbyFailure {
  return error instanceof StandbyFailure ? error : new StandbyFailure(faultOf(error), error);
}

function faultOf(error: unknown): StandbyFault {
  const state = stateOf(error);
  if (state === FOREIGN) return 'foreign';
  if (state === LAGGING || state === NO_FUNCTION) return 'lagging';
  if (state === CONFLICT) return 'cancelled';
  if (isUnanswered(error)) return 'silent';
  // A server or a database that rejects the login is as good as one that is away.
  return classifyError(error) === 'lost' || /^(?:28...|3D000)$/.test(state) ? 'lost' : 'failed';
}
