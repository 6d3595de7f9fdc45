/** When each stage of prompt processing began or ended: its public label, and milliseconds since the epoch. */
export type Checkpoints = readonly { readonly label: string; readonly at: number }[];

/** Why a request or a turn failed. `message` is suitable for users; `code` is stable. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** `error.details.error_code` of the model API's answer; absent without one. */
  readonly errorCode?: string;
  /** HTTP status of the model API's answer; absent without one. */
  readonly status?: number;
  /** The provider's id of the failed request; absent when it sent none. */
  readonly providerRequestId?: string;
}

/** `ask`: a person must decide, with `allow`, `reject` or `cancel`. */
export type Decision = 'allow' | 'deny' | 'ask' | 'reject' | 'cancel';

/** `interrupted`: stopped before its end. `unknown`: the process that ran it was lost. */
export type CallOutcome = 'finished' | 'interrupted' | 'unknown';

/** A user's rating of an answer. */
export interface Feedback {
  readonly feedbackId: string;
  /** The model request whose answer is rated. */
  readonly requestId: string;
  /** A number or a word on the client's own scale. */
  readonly rating: number | string;
  readonly comment: string | null;
}

/** By what right a caller read who does not own the session. */
export type AccessVia = 'grant' | 'break_glass' | 'link' | 'fork';
