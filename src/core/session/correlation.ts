import type { Submission } from '../message/submission.js';

/** Whose prompt a turn answers: its job carries this, so that whoever takes it knows without reading the log. */
export interface Cause {
  readonly promptId: string;
  readonly workload?: string;
  readonly traceparent?: string;
}

export function causeOf({ promptId, workload, traceparent }: Submission): Cause {
  return { promptId, ...(workload === undefined ? {} : { workload }), ...(traceparent === undefined ? {} : { traceparent }) };
}
