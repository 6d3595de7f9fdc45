import type { StoredSubmission } from '../../../packages/protocol/message/submission.js';

/** Identifies the prompt that a turn answers. Carried by the turn's job, so that a worker can log and trace before it has read the session. */
export interface Correlation {
  readonly promptId: string;
  readonly workload?: string;
  readonly traceparent?: string;
}

export function correlationOf({ promptId, workload, traceparent }: StoredSubmission): Correlation {
  return { promptId, ...(workload === undefined ? {} : { workload }), ...(traceparent === undefined ? {} : { traceparent }) };
}
