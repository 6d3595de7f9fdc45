import type { Rule } from './rules.js';

/** One thing that the model API would refuse. */
export interface Problem {
  readonly rule: Rule;
  /** JSON path of the offending value, such as `messages.3.content.0`; empty for the body as a whole. */
  readonly at: string;
  /** The API's own sentence where it is known, else ours after `[stand-in] `. */
  readonly text: string;
  /** HTTP status of the refusal; 400 where absent. */
  readonly status?: 404 | 413;
}

/** Takes the problems of a stage, in the order in which the API would come upon them. */
export type Report = (problem: Problem) => void;

/** A sentence of ours, for a rule that is documented while its text is not. */
export const standIn = (sentence: string): string => `[stand-in] ${sentence}`;

/** The error answer of the API: HTTP status and JSON body (docs: Errors). */
export interface ApiError {
  readonly status: number;
  readonly body: {
    readonly type: 'error';
    readonly error: { readonly type: string; readonly message: string };
    readonly request_id: string;
  };
}

const ERROR_TYPES = { 400: 'invalid_request_error', 404: 'not_found_error', 413: 'request_too_large' } as const;

/** How the API would answer a request with this problem; `requestId` looks like `req_011C…`. */
export function apiError(problem: Problem, requestId: string): ApiError {
  const status = problem.status ?? 400;
  return {
    status,
    body: { type: 'error', error: { type: ERROR_TYPES[status], message: problem.text }, request_id: requestId },
  };
}
