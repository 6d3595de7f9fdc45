/** A request of a session, which an answer of the model API has answered. */
export interface AnsweredRequest {
  readonly sessionId: string;
  readonly requestId: string;
}

/** For whom an answer was made. */
export interface AnswerOwner {
  readonly tenantId: string;
  readonly userId: string;
}

/** By what the request of an answer is found. */
export interface AnswerNames {
  /** The id that the model API gave the answer; null: it is not found by one. */
  readonly id: string | null;
  /** The digest of the conversation with the answer; null: it is not found by one. */
  readonly history: string | null;
}

/** Which request an answer belongs to, by the id that the model API gave the answer, or by the conversation that ends with it. */
export abstract class ThreadAnswers {
  /** The same again changes nothing. Of a session that is erased, no history is kept. */
  abstract add(of: AnswerOwner, names: AnswerNames, answered: AnsweredRequest): Promise<void>;
  /** Null: no answer to a client of the user has this id, or several have. */
  abstract find(of: AnswerOwner, answerId: string): Promise<AnsweredRequest | null>;
  /** Sessions of `limit` answers at most to each history, in the order of `histories`. One statement. */
  abstract having(of: AnswerOwner, histories: readonly string[], limit: number): Promise<readonly { readonly history: string; readonly sessionId: string }[]>;
}
