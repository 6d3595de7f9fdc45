import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { SubmitPromptCommand } from '../../engine/commands/submit-prompt.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { promptAnswer, promptBody, submittedPrompt } from '../../http/schemas/prompt-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/prompts')
export class PromptsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Post()
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

  @Get(':promptId')
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
}
