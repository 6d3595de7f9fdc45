import { WORKER_ID } from '../../src/engine/commands/execute.js';
import type { Append, AppendOutcome, Job } from '../../src/ports/index.js';
import { memoryStore } from '../support/memory-store.js';
import { SimulatedBlobs } from './folders.js';
import { Incidents } from './incidents.js';
import type { SimulatedLive } from './live.js';
import { Instructions } from './instructions.js';
import { Network } from './network.js';
import { Observed } from './observed.js';
import { SimulatedProcess } from './process.js';
import { QueueServer } from './queue.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import { Scheduler } from './scheduler.js';

interface Delivery {
  readonly jobId: string;
  readonly turnId: string;
  readonly token: string;
  readonly process: SimulatedProcess;
  claimed: boolean;
}

/** Everything outside the processes, and the processes. */
export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly incidents = new Incidents();
  readonly observed = new Observed();
  readonly network: Network;
  readonly ids: Random;
  readonly model: { readonly random: Random };
  readonly store;
  readonly queue: QueueServer;
  readonly buses = new Set<SimulatedLive>();
  readonly processes: SimulatedProcess[] = [];
  readonly executions = new Map<string, number>();
  readonly blobs = new SimulatedBlobs();
  /** Calls that have ended, after they wrote their file. */
  readonly written = new Set<string>();
  /** Errors of job handlers, for a report. */
  readonly failures: unknown[] = [];
  /** How often each turn was delivered to a worker. */
  readonly takeovers = new Map<string, number>();
  readonly violations: string[] = [];
  /** Texts of prompts that a client asked to erase. */
  readonly toErase = new Set<string>();
  readonly instructions: Instructions;
  readonly #deliveries = new Set<Delivery>();
  /** Turns that a process runs without the queue, by job, and the end of its lease. */
  readonly #direct = new Map<string, { readonly process: SimulatedProcess; until: number }>();
  /** The process with the latest claim of a session's turn; null: its job is not claimed yet; absent: there is no job. */
  readonly #claimants = new Map<string, SimulatedProcess | null>();
  faults = 0;
  /** Turns that an append leased to its caller. */
  handedOver = 0;
  #names = 0;

  constructor(
    readonly seed: number,
    readonly scenario: Scenario,
  ) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random.fork());
    this.network = new Network(this.random.fork(), this.scheduler, this.incidents);
    this.ids = this.random.fork();
    this.model = { random: this.random.fork() };
    this.store = memoryStore(() => Math.round(this.scheduler.now));
    this.queue = new QueueServer(this);
    this.instructions = new Instructions(this.scheduler);
    const check = (): void => {
      this.queue.check();
      this.scheduler.after(1_500, check);
    };
    check();
  }

  /** With split roles, the third process in three runs turns and answers no client. */
  async startProcess(
    role = this.scenario.roles === 'all' ? ('all' as const) : this.#names % 3 === 0 ? ('api' as const) : ('worker' as const),
  ): Promise<SimulatedProcess> {
    const process = new SimulatedProcess(this, `p${(this.#names += 1)}`, role);
    this.processes.push(process);
    await process.start();
    return process;
  }

  /** Those that answer clients. */
  get up(): readonly SimulatedProcess[] {
    return this.processes.filter(({ status, role }) => status === 'up' && role !== 'worker');
  }

  executed(toolUseId: string): void {
    this.executions.set(toolUseId, (this.executions.get(toolUseId) ?? 0) + 1);
  }

  /** Notes a delivery of a turn's job; the result ends it. */
  delivered(job: Job, token: string, process: SimulatedProcess): () => void {
    const { turnId } = job.payload;
    this.takeovers.set(turnId, (this.takeovers.get(turnId) ?? 0) + 1);
    const delivery: Delivery = { jobId: job.id, turnId, token, process, claimed: false };
    this.#deliveries.add(delivery);
    return () => this.#deliveries.delete(delivery);
  }

  /**
   * Notes an append, with the claim that it gave its caller. A report of a worker is accepted only from the process with the latest claim of the turn: whether the
   * session's state would reject it as well depends on how far the other worker has come.
   */
  appended(append: Append, { events: stored, claim }: Extract<AppendOutcome, { kind: 'appended' }>, process: SimulatedProcess): void {
    const { tenantId, sessionId, actor, events, jobs, completedJobs, dispatch, erasedFiles } = append;
    if (erasedFiles !== undefined) this.blobs.erase({ tenantId, sessionId }, erasedFiles);
    const claimant = this.#claimants.get(sessionId);
    // A helper is interrupted by whichever process finds that its parent has ended.
    if (actor.id === WORKER_ID && events[0]?.type !== 'turn.interrupt_requested' && claimant !== undefined && claimant !== process)
      this.violations.push(`${events[0]?.type} in session ${sessionId} was accepted from a worker without the latest claim`);
    this.observed.appended(sessionId, stored, process.name);
    if (completedJobs.length > 0) this.#claimants.delete(sessionId);
    for (const id of completedJobs) this.#direct.delete(id);
    for (const job of jobs) {
      this.#claimants.set(sessionId, claim ? process : null);
      if (claim && dispatch) this.#handedOver(job, process, dispatch.leaseMs);
    }
  }

  isClaimant(sessionId: string, process: SimulatedProcess): boolean {
    return this.#claimants.get(sessionId) === process;
  }

  /** Notes a claim at the moment from which the reports of earlier ones must be rejected. */
  claimStored({ id, payload: { sessionId } }: Job, process: SimulatedProcess): void {
    this.#claimants.set(sessionId, process);
    this.#checkLost(id);
    const running = process.queue.running + this.directTurns(process);
    if (running > this.scenario.concurrency + 1) this.violations.push(`${process.name} runs ${running} turns, and its room is ${this.scenario.concurrency}`);
    this.observed.claimed(id, process.name, this.scheduler.now);
  }

  /** A process that is well keeps the lease of a turn until it has ended it. */
  #checkLost(jobId: string): void {
    const holder = this.#direct.get(jobId)?.process;
    const { now } = this.scheduler;
    if (holder?.status === 'up' && !holder.isStopping && !this.incidents.concern([holder.name], now - 30_000, now))
      this.violations.push(`${holder.name} lost the lease of job ${jobId} although nothing was wrong with it`);
  }

  renewed(jobId: string, leaseMs: number): void {
    const direct = this.#direct.get(jobId);
    if (direct) direct.until = this.scheduler.now + leaseMs;
  }

  /** What must hold for every append that is sent, whatever comes of it. */
  checkAppend({ actor, dispatch, sessionId }: Append, process: SimulatedProcess): void {
    if (actor.id === WORKER_ID && process.role === 'api' && !dispatch)
      this.violations.push(`${process.name} runs turns although it only answers clients (${sessionId})`);
    if (dispatch && (process.role === 'api' || this.scenario.dispatch === 'queue'))
      this.violations.push(`${process.name} took a turn that belongs in the queue`);
  }

  released(jobId: string, process: SimulatedProcess): void {
    const { now } = this.scheduler;
    if (!process.isStopping && !this.incidents.concern([process.name], now - 30_000, now))
      this.violations.push(`${process.name} gave job ${jobId} back for no reason`);
    if (this.#direct.get(jobId)?.process === process) this.#direct.delete(jobId);
  }

  /** Turns that the process runs without the queue and has not lost. */
  directTurns(process: SimulatedProcess): number {
    return [...this.#direct.values()].filter((direct) => direct.process === process).length;
  }

  /**
   * Notes that a worker has received its claim of a delivered job's turn. Two workers with valid locks must never have claimed one segment of a turn. A
   * worker of an earlier segment may still wait for an answer: its turn waited and was resumed meanwhile, and its token is stale.
   *
   * A worker that was frozen between delivery and claim claims with an expired lock, which the store cannot know, possibly after the worker that got the job
   * next. That is allowed: the reports of all but the latest claim are rejected, as `appended` checks, and the renewal ends the run without a lock.
   */
  claimed(job: Job, process: SimulatedProcess): void {
    const all = [...this.#deliveries].filter(({ turnId }) => turnId === job.payload.turnId);
    const own = all.findLast((delivery) => delivery.process === process && delivery.jobId === job.id);
    const isValid = own !== undefined && this.queue.holds(own.jobId, own.token);
    for (const other of isValid ? all : [])
      if (other !== own && other.claimed && !isLaterSegment(job.id, other.jobId) && other.process.status === 'up' && this.queue.holds(other.jobId, other.token))
        this.violations.push(`turn ${other.turnId} was given to a second worker, as job ${job.id}, while job ${other.jobId} was running`);
    const direct = this.#direct.get(job.id);
    if (direct && direct.process.status === 'up' && direct.until > this.scheduler.now)
      this.violations.push(`job ${job.id} was given to a worker while another process held its lease`);
    this.#direct.delete(job.id);
    if (own) own.claimed = true;
  }

  /** Jobs that wait for a claim although their tenant has a free share and a process has room. */
  runnable(): readonly string[] {
    const { concurrency, perTenant } = this.scenario;
    const workers = this.processes.filter(({ status, role, isStopping }) => status === 'up' && role !== 'api' && !isStopping);
    const hasRoom = workers.some((process) => this.directTurns(process) + process.queue.running < concurrency);
    return hasRoom ? this.store.waiting(perTenant) : [];
  }

  /** Notes that an append has leased the job of a turn to its caller. */
  #handedOver({ id, payload: { turnId } }: Job, process: SimulatedProcess, leaseMs: number): void {
    this.handedOver += 1;
    this.takeovers.set(turnId, (this.takeovers.get(turnId) ?? 0) + 1);
    this.#direct.set(id, { process, until: this.scheduler.now + leaseMs });
    const direct = this.directTurns(process);
    if (direct > this.scenario.concurrency || direct + process.queue.running > this.scenario.concurrency + 1)
      this.violations.push(`${process.name} took more turns than its room, ${this.scenario.concurrency}`);
    this.observed.claimed(id, process.name, this.scheduler.now);
  }

  /** Waits; true when `signal` aborted first. */
  interruptible(durationMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(true);
      const cancel = this.scheduler.after(durationMs, () => resolve(false));
      signal.addEventListener(
        'abort',
        () => {
          cancel();
          resolve(true);
        },
        { once: true },
      );
    });
  }
}

/** Jobs of a turn's segments are named after the turn and the event that resumed it. */
function isLaterSegment(jobId: string, earlier: string): boolean {
  const segment = (id: string): number | null => {
    const [, seq] = /^[^.]+(?:\.(\d+))?$/.exec(id) ?? [];
    return id.includes('.') ? (seq === undefined ? null : Number(seq)) : 0;
  };
  const [later, before] = [segment(jobId), segment(earlier)];
  return later !== null && before !== null && later > before;
}
