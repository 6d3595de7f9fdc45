import { Controller, Delete, Get } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { WithdrawPromptCommand } from '../../engine/commands/withdraw-prompt.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { queue, withdrawn } from '../../http/schemas/prompt-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/queue')
export class QueueController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listQueue',
    access: 'session.read',
    summary: 'List the queued prompts, in order',
    description: 'Each with its place and what it waits for.',
    status: 200,
    response: queue,
    problems: [],
  })
  queue(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.queue(caller, id);
  }

  @Delete(':promptId')
  @ApiRoute({
    operation: 'withdrawPrompt',
    summary: 'Withdraw a queued prompt',
    description: 'A prompt that has started cannot be withdrawn: interrupt its turn instead.',
    status: 200,
    response: withdrawn,
    problems: ['prompt_not_found', 'prompt_already_started'],
    command: WithdrawPromptCommand,
  })
  withdraw(@PathId('id') _: string, @PathId('promptId') promptId: string, @CommandContextOf() context: CommandContext) {
    return this.commands.execute(new WithdrawPromptCommand(context, { promptId }));
  }
}
