import type { Submission } from '../message/submission.js';

/** Whose prompt a turn answers: its job carries this, so that whoever takes it knows without reading the log. */
export interface Correlation {
  readonly promptId: string;
  readonly workload?: string;
  readonly traceparent?: string;
}

export function correlationOf({ promptId, workload, traceparent }: Submission): Correlation {
  return { promptId, ...(workload === undefined ? {} : { workload }), ...(traceparent === undefined ? {} : { traceparent }) };
}
