import { Body, Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { DecideToolCommand } from '../../engine/commands/decide-tool.js';
import { InterruptCommand } from '../../engine/commands/interrupt.js';
import { PostToolResultsCommand } from '../../engine/commands/post-tool-results.js';
import { RegenerateCommand } from '../../engine/commands/regenerate.js';
import { SubmitPromptCommand } from '../../engine/commands/submit-prompt.js';
import { WithdrawPromptCommand } from '../../engine/commands/withdraw-prompt.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import {
  interrupted,
  promptAnswer,
  promptBody,
  queue,
  regenerateBody,
  submittedPrompt,
  toolDecisionAnswer,
  toolDecisionBody,
  toolResultsAnswer,
  toolResultsBody,
  withdrawn,
} from '../../http/schemas/prompt-schemas.js';
import { reasonBody } from '../../http/schemas/session-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id')
export class PromptsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Post('prompts')
  @HttpCode(202)
  @ApiRoute({
    operation: 'submitPrompt',
    summary: 'Submit a prompt',
    description:
      'With `replaces`, the uuid of an earlier prompt, the conversation is rewound to before that prompt and this one takes its place, in one append: an edit. A replacing prompt is never queued: while a turn runs it is rejected, or with `whenBusy: interrupt` the turn is interrupted first.',
    status: 202,
    response: promptAnswer,
    example: { version: 3, promptId: '7d1c3f0a-52c8-4a53-9d0e-5b7e8f2a6c11', disposition: 'started', turnId: '1f0e6b9d-3a57-4c1f-8e26-90b4d7c5a312' },
    problems: [
      'session_busy',
      'session_closed',
      'empty_input',
      'unsupported_input',
      'image_rejected',
      'document_rejected',
      'tool_unavailable',
      'message_exists',
      'limit_reached',
      'quota_exceeded',
      'message_not_on_path',
      'prompt_not_found',
    ],
    body: true,
    command: SubmitPromptCommand,
  })
  async submit(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: promptBody }) body: z.input<typeof promptBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { mode = 'prompt', whenBusy = 'enqueue', uuid, replaces, ...rest } = body;
    const { workload } = context;
    const submission = { ...rest, mode, ...(workload === undefined ? {} : { workload }) };
    const terms = {
      whenBusy,
      ...(uuid === undefined ? {} : { uuid: uuid.toLowerCase() }),
      ...(replaces === undefined ? {} : { replaces: { before: replaces.toLowerCase(), cause: 'edit' as const } }),
    };
    const answer = await this.commands.execute(new SubmitPromptCommand(context, { submission, terms }));
    if (answer.turnId !== undefined) response.location(`/v1/sessions/${id}/turns/${answer.turnId}`);
    return answer;
  }

  @Get('prompts/:promptId')
  @ApiRoute({
    operation: 'getPrompt',
    access: 'session.read',
    summary: 'Read a prompt as it can be sent again, to edit it',
    description:
      'The whole submission, in the form that `POST …/prompts` takes: text, files, pastes, attachments, mode and options. Sent unchanged it is the same prompt; sent with `replaces` it is an edit. `promptId` is the id of the prompt, which may wait in the queue, or the uuid of its message.',
    status: 200,
    response: submittedPrompt,
    problems: ['prompt_not_found'],
  })
  prompt(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @PathId('promptId') promptId: string) {
    return this.queries.prompt(caller, id, promptId);
  }

  @Post('regenerate')
  @HttpCode(202)
  @ApiRoute({
    operation: 'regenerateAnswer',
    summary: 'Regenerate the answer to a prompt',
    description:
      'Rewinds to before the prompt, by default the newest one, and resubmits it unchanged, in one append. The earlier answer stays a branch of the session.',
    status: 202,
    response: promptAnswer,
    problems: [
      'quota_exceeded',
      'session_busy',
      'session_closed',
      'prompt_not_found',
      'message_not_on_path',
      'unsupported_input',
      'tool_unavailable',
      'image_rejected',
      'document_rejected',
    ],
    body: true,
    command: RegenerateCommand,
  })
  async regenerate(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: regenerateBody }) { prompt, whenBusy = 'reject' }: z.input<typeof regenerateBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new RegenerateCommand(context, { prompt: prompt?.toLowerCase() ?? null, whenBusy }));
    if (answer.turnId !== undefined) response.location(`/v1/sessions/${id}/turns/${answer.turnId}`);
    return answer;
  }

  @Get('queue')
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

  @Delete('queue/:promptId')
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

  @Post('interrupt')
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

  @Post('tool-results')
  @HttpCode(202)
  @ApiRoute({
    operation: 'submitToolResults',
    summary: 'Submit the results of tool calls that the client runs',
    description: 'When the last result of the turn is there, the turn continues. A result may be sent once; a repeat with the same key gets the first answer.',
    status: 202,
    response: toolResultsAnswer,
    problems: ['tool_call_not_waiting', 'session_closed', 'image_rejected', 'document_rejected'],
    body: true,
    command: PostToolResultsCommand,
  })
  toolResults(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: toolResultsBody }) body: z.input<typeof toolResultsBody>) {
    const results = body.results.map(({ isError = false, ...result }) => ({ ...result, isError }));
    return this.commands.execute(new PostToolResultsCommand(context, { results }));
  }

  @Post('tool-decisions')
  @HttpCode(202)
  @ApiRoute({
    operation: 'decideToolCall',
    summary: 'Decide a tool call that requires a decision',
    description:
      '`allow` runs it. `reject` with `feedback` reports the feedback to the model, which continues; without feedback the turn ends. `cancel` ends the turn.',
    status: 202,
    response: toolDecisionAnswer,
    example: { version: 12, toolUseId: 'toolu_01', decision: 'allow' },
    problems: ['tool_call_not_found', 'tool_call_not_waiting'],
    body: true,
    command: DecideToolCommand,
  })
  decide(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: toolDecisionBody }) body: z.input<typeof toolDecisionBody>) {
    const { toolUseId, decision, feedback = null, updatedInput = null } = body;
    return this.commands.execute(new DecideToolCommand(context, { decision: { toolUseId, decision, feedback: feedback?.trim() ?? null, updatedInput } }));
  }
}
