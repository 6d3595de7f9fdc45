import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { HoldCommand } from './hold.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { hold, holdBody } from '../../http/schemas/erasure-schemas.js';

/** What is held is not erased. */
@ApiTags('erasure')
@Controller('v1/sessions/:id/hold')
export class HoldController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiRoute({
    operation: 'placeHold',
    summary: 'Put the session under a legal hold: nothing of it is erased (admin)',
    description: 'Erasures, also by retention and of its owner, are refused with `legal_hold` until the hold is released.',
    status: 200,
    response: hold,
    problems: [],
    body: true,
    command: HoldCommand,
  })
  async hold(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: holdBody }) { reason }: z.output<typeof holdBody>) {
    return this.commands.execute(new HoldCommand(context, { isHeld: true, reason: reason ?? null }));
  }

  @Delete()
  @ApiRoute({
    operation: 'releaseHold',
    summary: 'Release the legal hold (admin)',
    description: 'Erasures that were refused are not repeated by themselves; those by retention are.',
    status: 200,
    response: hold,
    problems: [],
    command: HoldCommand,
  })
  async release(@PathId('id') _: string, @CommandContextOf() context: CommandContext) {
    return this.commands.execute(new HoldCommand(context, { isHeld: false, reason: null }));
  }
}
