import type { Problem } from './api.js';

/** The stable code of an error; `unreadable` when the response was not a problem document, such as that of a proxy. */
export type ErrorCode = Problem['code'] | 'unreadable';

/** An error response of the server. `code` is stable; `message` says what was wrong and what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: ErrorCode;
  /** Id of the request, as in the server's log. */
  readonly instance: string | null;
  /** One entry per fault of the input: its JSON pointer, and what is wrong. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Seconds after which the server asks for a retry; null when it does not say. */
  readonly retryAfter: number | null;

  constructor(
    /** The document as received; null when the response was none. */
    readonly problem: Problem | null,
    response: Pick<Response, 'status' | 'statusText' | 'headers'>,
  ) {
    super(problem?.detail ?? problem?.title ?? `The server responded with ${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.code = problem?.code ?? 'unreadable';
    this.instance = problem?.instance ?? response.headers.get('x-request-id');
    this.errors = problem?.errors ?? [];
    this.retryAfter = secondsOf(response.headers.get('retry-after')) ?? problem?.retryAfter ?? null;
  }

  /** The error of a response that is not a success. Reads its body. */
  static async of(response: Response): Promise<ProblemError> {
    const isProblem = /^application\/problem\+json\b/.test(response.headers.get('content-type') ?? '');
    const text = await response.text();
    return new ProblemError(isProblem ? (JSON.parse(text) as Problem) : null, response);
  }
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
