import { WaitingError, type Job as BullJob } from 'bullmq';
import type { Job, JobContext } from '../../core/ports.js';

type Handle = (job: Job, context: JobContext) => Promise<void>;

interface Run {
  readonly id: string;
  readonly controller: AbortController;
  /** Waits no longer for the handler. */
  readonly giveUp: () => void;
  lost: boolean;
}

/** The jobs that this process works on, from being taken to being finished, failed or given back. */
export class RunningJobs {
  readonly #runs = new Set<Run>();
  #stopping = false;

  constructor(
    private readonly handle: Handle,
    private readonly report: (problem: string, error: unknown) => void,
  ) {}

  /**
   * BullMQ's processor: resolves when the job is done, rejects when it is to be tried again. A `WaitingError` tells BullMQ
   * that the job's place in the queue is settled already.
   */
  async process(job: BullJob<Job['payload']>, token: string): Promise<void> {
    const { id } = job;
    if (id === undefined) throw new Error('A job without an id');
    if (this.#stopping) return giveBack(job, token);
    const controller = new AbortController();
    let giveUp: () => void = () => undefined;
    const givenUp = new Promise<{ readonly kind: 'given_up' }>((resolve) => (giveUp = () => resolve({ kind: 'given_up' })));
    const run: Run = { id, controller, giveUp, lost: false };
    this.#runs.add(run);
    try {
      const outcome = await Promise.race([this.#carryOut({ queue: 'turns', id, payload: job.data }, controller.signal), givenUp]);
      if (run.lost) throw new WaitingError('Another worker has the job');
      if (outcome.kind === 'done') return;
      if (this.#stopping && controller.signal.aborted) return await giveBack(job, token);
      if (outcome.kind === 'given_up') throw new Error('The job was given up');
      this.report(`Job ${id} failed and will be tried again`, outcome.error);
      // BullMQ stores what is thrown here, and a message may quote a conversation: only the error's name goes there.
      throw new Error(`The attempt failed: ${outcome.error instanceof Error ? outcome.error.name : typeof outcome.error}`);
    } finally {
      this.#runs.delete(run);
    }
  }

  /** Another worker may have taken these jobs: whoever still works on them here is told to stop. */
  lose(ids: readonly string[]): void {
    for (const run of this.#runs) {
      if (!ids.includes(run.id)) continue;
      run.lost = true;
      run.controller.abort(new Error('The job was taken away'));
    }
  }

  /** From now on jobs that come in are given back at once. */
  stop(): void {
    this.#stopping = true;
  }

  abort(): void {
    for (const run of this.#runs) run.controller.abort(new Error('The process is about to stop'));
  }

  /** Gives back what is still running, whether its handler has noticed or not. */
  giveUp(): void {
    for (const run of this.#runs) run.giveUp();
  }

  async #carryOut(job: Job, signal: AbortSignal): Promise<{ readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: unknown }> {
    try {
      await this.handle(job, { signal });
      return { kind: 'done' };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}

/** Puts the job back in the queue, where the next free worker finds it at once instead of after the lock's end. */
async function giveBack(job: BullJob, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError('Given back');
}
