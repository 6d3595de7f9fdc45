import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { BreakGlassCommand } from './people-commands.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { breakGlassBody, brokenGlass } from './people-schemas.js';

@ApiTags('people')
@Controller('v1/sessions/:id/break-glass')
export class BreakGlassController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'BREAK_GLASS_MINUTES'>,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiRoute({
    operation: 'breakGlass',
    summary: 'Get read access for a short time, with a reason that the owner sees (admin, auditor)',
    description: 'For `BREAK_GLASS_MINUTES`. The event `glass.broken` names who, until when and why; each read is in the list of accesses.',
    status: 200,
    response: brokenGlass,
    problems: [],
    body: true,
    command: BreakGlassCommand,
  })
  breakGlass(
    @PathId('id') _: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: breakGlassBody }) { reason }: z.output<typeof breakGlassBody>,
  ) {
    const until = new Date(context.principal.now + this.settings.BREAK_GLASS_MINUTES * 60_000).toISOString();
    return this.commands.execute(new BreakGlassCommand(context, { reason, until }));
  }
}
