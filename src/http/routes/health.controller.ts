import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { Request, Response } from 'express';
import { DomainError } from '../../core/errors.js';
import { Accounts, JobQueue, LiveBus, Telemetry } from '../../core/ports.js';
import { AccessGuard } from '../access/access.guard.js';
import { Open } from '../access/caller.js';
import { ApiRoute } from '../documents/api-route.js';
import { Drain } from '../drain.js';
import { alive, ready } from '../schemas/account-schemas.js';

/** What does not answer within this time is away, in milliseconds. */
const PATIENCE = 2_000;

@ApiTags('operation')
@Open()
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly accounts: Accounts,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
    private readonly telemetry: Telemetry,
    private readonly access: AccessGuard,
    private readonly drain: Drain,
  ) {}

  @Get('health/live')
  @ApiRoute({ summary: 'The process answers', status: 200, answer: alive, refuses: [], open: true })
  alive() {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @ApiRoute({ summary: 'Everything needed to serve is there', status: 200, answer: ready, refuses: ['unavailable'], open: true })
  async ready() {
    if (this.drain.begun) throw new DomainError('unavailable', 'Not ready: the process is about to stop.', [], { draining: true, retryAfter: 1 });
    const checks = { database: () => this.accounts.tenants(), queue: () => this.queue.ping(), live: () => this.live.ping() };
    const states: Record<string, string> = Object.fromEntries(Object.keys(checks).map((name) => [name, 'down']));
    const outcome = this.health.check(
      Object.entries(checks).map(([name, reach]) => async () => {
        const state = (await answersInTime(reach())) ? 'up' : 'down';
        states[name] = state;
        const indicator = this.indicators.check(name);
        return state === 'up' ? indicator.up() : indicator.down();
      }),
    );
    await outcome.catch(() => {
      const away = Object.keys(states).filter((name) => states[name] === 'down');
      throw new DomainError('unavailable', `Not ready: ${away.join(', ')} does not answer.`, [], { ...states, retryAfter: 1 });
    });
    return { status: 'ok', checks: states };
  }

  @Get('metrics')
  @ApiRoute({
    summary: "Figures for Prometheus; from this machine, or with an admin's token",
    status: 200,
    answer: 'text/plain',
    refuses: ['unauthenticated', 'forbidden', 'rate_limited', 'unavailable'],
    open: true,
  })
  async metrics(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!isLocal(request)) {
      const { role } = await this.access.authenticate(request);
      if (role !== 'admin') throw new DomainError('forbidden', 'Only an admin may read the figures from another machine.');
    }
    const { contentType, text } = await this.telemetry.exposition();
    response.setHeader('content-type', contentType);
    response.end(text);
  }
}

/** CommandContextOf from this machine, and not on somebody else's behalf. */
function isLocal(request: Request): boolean {
  const address = request.socket.remoteAddress ?? '';
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  return !forwarded && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

async function answersInTime(answer: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), PATIENCE)));
  const inTime = answer.then(
    () => true,
    () => false,
  );
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}
