import { WaitingError, type Job as BullJob } from 'bullmq';
import type { Job, JobContext } from '../../ports/index.js';

type Handle = (job: Job, context: JobContext) => Promise<void>;

interface RunningJob {
  readonly id: string;
  /** Proves to the queue that this process has the lock. */
  readonly token: string;
  readonly controller: AbortController;
  /** Ends the wait for the handler. */
  readonly abandon: () => void;
  lost: boolean;
}

/** The jobs that this process works on, until each is complete, has failed, or is returned to the queue. */
export class RunningJobs {
  readonly #runs = new Set<RunningJob>();
  #stopping = false;

  constructor(
    private readonly handle: Handle,
    private readonly report: (problem: string, error: unknown) => void,
  ) {}

  /**
   * BullMQ's processor: resolves when the job is complete, rejects when it is to be retried. A `WaitingError` means that the job's state in the queue is
   * already correct.
   */
  async process(job: BullJob<Job['payload']>, token: string): Promise<void> {
    const { id } = job;
    if (id === undefined) throw new Error('BullMQ passed a job without an id');
    if (this.#stopping) return returnToQueue(job, token);
    const controller = new AbortController();
    let abandon: () => void = () => undefined;
    const abandoned = new Promise<{ readonly kind: 'abandoned' }>((resolve) => (abandon = () => resolve({ kind: 'abandoned' })));
    const run: RunningJob = { id, token, controller, abandon, lost: false };
    this.#runs.add(run);
    try {
      const outcome = await Promise.race([this.#callHandler({ queue: 'turns', id, payload: job.data }, controller.signal), abandoned]);
      if (run.lost) throw new WaitingError('Another worker has the job');
      if (outcome.kind === 'done') return;
      if (this.#stopping) return await returnToQueue(job, token); // whatever it failed by, another worker can continue it at once
      if (outcome.kind === 'abandoned') throw new Error('The job was abandoned');
      this.report(`Job ${id} failed and will be retried`, outcome.error);
      // BullMQ stores the message of this error. Messages may quote a conversation, so it contains only the error's name.
      throw new Error(`The attempt failed: ${outcome.error instanceof Error ? outcome.error.name : typeof outcome.error}`);
    } finally {
      this.#runs.delete(run);
    }
  }

  /** What this process must renew. */
  locks(): { readonly ids: readonly string[]; readonly tokens: readonly string[] } {
    const runs = [...this.#runs].filter(({ lost }) => !lost);
    return { ids: runs.map(({ id }) => id), tokens: runs.map(({ token }) => token) };
  }

  /** The locks of these jobs are lost and another worker may have them: aborts their handlers. */
  markLost(ids: readonly string[]): void {
    for (const run of this.#runs) {
      if (!ids.includes(run.id)) continue;
      run.lost = true;
      run.controller.abort(new Error('The lock of the job was lost'));
    }
  }

  /** Jobs that arrive after this call are returned to the queue at once. */
  stop(): void {
    this.#stopping = true;
  }

  abort(): void {
    for (const run of this.#runs) run.controller.abort(new Error('The process is stopping'));
  }

  /** Returns all running jobs to the queue without waiting for their handlers. */
  abandon(): void {
    for (const run of this.#runs) run.abandon();
  }

  async #callHandler(job: Job, signal: AbortSignal): Promise<{ readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: unknown }> {
    try {
      await this.handle(job, { signal });
      return { kind: 'done' };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}

/** Another worker can take the job at once instead of after the end of its lock. */
async function returnToQueue(job: BullJob, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError('Returned to the queue');
}
