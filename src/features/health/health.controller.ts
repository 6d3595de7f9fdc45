import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, Blobs, DatabaseNodes, EventStore, JobQueue, LiveBus } from '../../ports/index.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Drain } from '../../http/drain.js';
import { alive, ready } from '../../http/schemas/account-schemas.js';

@ApiTags('operation')
@Controller('health')
export class HealthController {
  constructor(
    private readonly accounts: Accounts,
    private readonly store: EventStore,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
    private readonly blobs: Blobs,
    private readonly nodes: DatabaseNodes,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'READINESS_TIMEOUT_MS'>,
  ) {}

  @Get('live')
  @ApiRoute({
    operation: 'getLiveness',
    access: 'public',
    summary: 'Liveness probe',
    description: 'Says that the process runs; nothing else is asked. A restart helps when it does not answer.',
    status: 200,
    response: alive,
    problems: [],
  })
  alive() {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiRoute({
    operation: 'getReadiness',
    access: 'public',
    summary: 'Readiness probe: the database, the queue and the live bus respond',
    description:
      '503 names what does not respond, also while the process shuts down. `files` is `down` while the object storage of files does not answer: what needs no file works, and the rest is answered with 503. `appends` is `waiting_for_standby` while commits wait for a synchronous standby that does not answer: reads work, and what appends is answered with 503. `nodes`, of a distributed database only, is `some_away` while one of its servers does not answer: the tenants of the others are served.',
    status: 200,
    response: ready,
    problems: ['unavailable'],
  })
  async ready() {
    if (this.drain.begun) throw new DomainError('unavailable', 'Not ready: the process is shutting down.', [], { draining: true, retryAfter: 1 });
    const checks = { database: () => this.accounts.ping(), queue: () => this.queue.ping(), live: () => this.live.ping() };
    const { READINESS_TIMEOUT_MS: ms } = this.settings;
    const files = respondsInTime(this.blobs.reachable(), ms);
    const isEachUp = this.nodes.read().then(
      (nodes) => nodes && nodes.every(({ isUp }) => isUp),
      () => null,
    );
    const reached = await Promise.all(
      Object.entries(checks).map(async ([name, reach]) => [name, (await respondsInTime(reach(), ms)) ? 'up' : 'down'] as const),
    );
    const states = Object.fromEntries(reached);
    const down = reached.flatMap(([name, state]) => (state === 'down' ? [name] : []));
    if (down.length > 0) throw new DomainError('unavailable', `Not ready: ${down.join(', ')} does not respond.`, [], { ...states, retryAfter: 1 });
    // What needs neither is answered, so traffic may come: every process would leave at once.
    const appends = this.store.waitingForStandby === 0 ? 'up' : 'waiting_for_standby';
    const nodes = (await respondsInTime(isEachUp, ms)) ? await isEachUp : false;
    return { status: 'ok', checks: { ...states, files: (await files) ? 'up' : 'down', appends, ...(nodes !== null && { nodes: nodes ? 'up' : 'some_away' }) } };
  }
}

async function respondsInTime(response: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const inTime = response.then(
    () => true,
    () => false,
  );
  return Promise.race([inTime, timeout]).finally(() => clearTimeout(timer));
}
