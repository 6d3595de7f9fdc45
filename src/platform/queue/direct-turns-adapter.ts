import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Job, type Queue } from 'bullmq';

type Adapter = InstanceType<typeof BullMQAdapter>;
type Counts = Awaited<ReturnType<Adapter['getJobCounts']>>;

export interface DirectTurn {
  readonly id: string;
  readonly payload: object;
  /** The process that runs it. */
  readonly holder: string;
  readonly leaseEnd: Date;
}

/** How many turns the page shows. */
const SHOWN = 1_000;

/** Turns that processes run without the queue, as a queue of the board whose jobs are all active. */
export class DirectTurnsAdapter extends BullMQAdapter {
  constructor(
    private readonly jobs: Queue,
    private readonly read: (limit: number) => Promise<readonly DirectTurn[]>,
  ) {
    super(jobs, {
      readOnlyMode: true,
      displayName: 'turns without the queue',
      description: 'Run by the process that accepted the prompt, under a lease that it renews. They never are in the queue unless the lease ends.',
    });
  }

  override getName = (): string => 'direct-turns';
  override getStatuses = (): ReturnType<Adapter['getStatuses']> => ['latest', 'active'];
  override getJobStatuses = (): ReturnType<Adapter['getJobStatuses']> => ['active'];
  override isPaused = (): Promise<boolean> => Promise.resolve(false);
  override getJobLogs = (): Promise<string[]> => Promise.resolve([]);
  override getJobSchedulers = (): ReturnType<Adapter['getJobSchedulers']> => Promise.resolve([]);
  override getJobSchedulersCount = (): Promise<number> => Promise.resolve(0);
  override getGlobalConcurrency = (): Promise<null> => Promise.resolve(null);

  override async getJobCounts(): Promise<Counts> {
    const { length } = await this.read(SHOWN);
    return { active: length, waiting: 0, 'waiting-children': 0, prioritized: 0, completed: 0, failed: 0, delayed: 0, paused: 0 } as Counts;
  }

  override async getJobs(_statuses: unknown, start = 0, end = SHOWN): Promise<Job[]> {
    return (await this.read(SHOWN)).slice(start, end + 1).map((turn) => this.#job(turn));
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const turn = (await this.read(SHOWN)).find((one) => one.id === id);
    return turn && this.#job(turn);
  }

  /** As BullMQ shows one of its own; nothing is stored. */
  #job({ id, payload, holder, leaseEnd }: DirectTurn): Job {
    const job = new Job(this.jobs, 'turn', { ...payload, process: holder, leaseEnd: leaseEnd.toISOString() }, {}, id);
    return Object.assign(job, { getState: () => Promise.resolve('active'), processedBy: holder });
  }
}
