import type { Rule } from './rules.js';

/** One violation of the model API's rules. */
export interface Problem {
  readonly rule: Rule;
  /** JSON path of the offending value, such as `messages.3.content.0`; empty for the body as a whole. */
  readonly at: string;
  /** The API's error message where it is known, otherwise a message of our own with the prefix `[stand-in] `. */
  readonly text: string;
  /** HTTP status of the error; 400 where absent. */
  readonly status?: 404 | 413;
}

/** Receives the problems of a stage in the order in which the API would find them. */
export type Report = (problem: Problem) => void;

/** Marks a message of our own, for a rule that is documented without its error message. */
export const standIn = (sentence: string): string => `[stand-in] ${sentence}`;

/** An error response of the API: HTTP status and JSON body (docs: Errors). */
export interface ApiError {
  readonly status: number;
  readonly body: {
    readonly type: 'error';
    readonly error: { readonly type: string; readonly message: string };
    readonly request_id: string;
  };
}

const ERROR_TYPES = { 400: 'invalid_request_error', 404: 'not_found_error', 413: 'request_too_large' } as const;

/** The error response of the API for this problem. `requestId` has the form `req_011C…`. */
export function apiError(problem: Problem, requestId: string): ApiError {
  const status = problem.status ?? 400;
  return {
    status,
    body: { type: 'error', error: { type: ERROR_TYPES[status], message: problem.text }, request_id: requestId },
  };
}
