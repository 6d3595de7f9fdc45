/** A request of a session, which an answer of the model API has answered. */
export interface AnsweredRequest {
  readonly sessionId: string;
  readonly requestId: string;
}

/** Which request an answer belongs to, by the id that the model API gave the answer. */
export abstract class ThreadAnswers {
  /** The same again changes nothing. */
  abstract add(of: { readonly tenantId: string; readonly userId: string }, answerId: string, answered: AnsweredRequest): Promise<void>;
  /** Null: no answer to a client of the user has this id, or several have. */
  abstract find(of: { readonly tenantId: string; readonly userId: string }, answerId: string): Promise<AnsweredRequest | null>;
}
