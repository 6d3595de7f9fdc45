import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { InterruptCommand } from '../../engine/commands/interrupt.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { interrupted } from '../../http/schemas/prompt-schemas.js';
import { reasonBody } from '../../http/schemas/session-schemas.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/interrupt')
export class InterruptController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiRoute({
    operation: 'interruptTurn',
    summary: 'Interrupt the running turn; idempotent',
    description: 'The answer so far is kept. Without a running turn nothing happens, and the request succeeds.',
    status: 200,
    response: interrupted,
    problems: [],
    body: true,
    command: InterruptCommand,
  })
  interrupt(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: reasonBody }) body: z.input<typeof reasonBody>) {
    return this.commands.execute(new InterruptCommand(context, { reason: body.reason ?? null }));
  }
}
