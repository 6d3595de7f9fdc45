import { faultIn } from '../../../packages/protocol/events/tampered.js';

/** Gets each read that was refused because the log is not what was recorded. */
export type OnRefusal = (refusal: Error) => void;

/** Reports it once, however many callers it passes. */
export class Refusals {
  readonly #reported = new WeakSet<object>();

  constructor(private readonly report: OnRefusal = () => undefined) {}

  async of<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Error && faultIn(error) && !this.#reported.has(error)) {
        this.#reported.add(error);
        this.report(error);
      }
      throw error;
    }
  }
}
