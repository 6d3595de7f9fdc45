import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Caller } from '../../http/access/caller.js';
import { leaveDoor } from '../../http/access/tenant-door.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { turn, turnQuery } from '../../http/schemas/prompt-schemas.js';
import { TurnWait } from '../../http/stream/turn-wait.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('log')
@Controller('v1/sessions/:id/turns')
export class TurnsController {
  constructor(
    private readonly turnWait: TurnWait,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_WAIT_SECONDS'>,
  ) {}

  @Get(':turnId')
  @ApiRoute({
    operation: 'getTurn',
    access: 'session.read',
    summary: 'Get a turn; with `wait`, after it has stopped running',
    description: 'Responds when the turn is neither queued nor running and does not only wait for helpers, or when the time is up.',
    status: 200,
    response: turn,
    problems: ['turn_not_found', 'invalid_input'],
  })
  async turn(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @PathId('turnId') turnId: string,
    @Query({ schema: turnQuery }) query: z.output<typeof turnQuery>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (query.wait) leaveDoor(response);
    return this.turnWait.turn(caller, id, turnId, Math.min(query.wait ?? 0, this.settings.MAX_WAIT_SECONDS), gone.signal);
  }
}
