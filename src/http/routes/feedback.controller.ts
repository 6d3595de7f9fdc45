import { Body, Controller, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../commands/context.js';
import { RecordFeedbackCommand } from '../../commands/record-feedback.js';
import { DomainError } from '../../core/errors.js';
import { ComputePool } from '../../core/ports.js';
import { SessionQueries } from '../../queries/session-queries.js';
import { Caller } from '../access/caller.js';
import { CommandContextOf } from '../command-context.js';
import { ApiRoute } from '../documents/api-route.js';
import { PathId } from '../path-id.js';
import { feedback, feedbackBody } from '../schemas/feedback-schemas.js';
import type { Principal } from '../../core/session/principal.js';

@ApiTags('view')
@Controller('v1/sessions/:id')
export class FeedbackController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    private readonly heavy: ComputePool,
  ) {}

  @Post('feedback')
  @ApiRoute({
    summary: 'Store what somebody thinks of an answer, for training',
    description:
      'Refused with 422 `synthetic_content` when what the model was sent holds the text that stands for a lost tool result: such a conversation is no training data.',
    status: 201,
    answer: feedback,
    refuses: ['session_not_found', 'request_not_found', 'synthetic_content'],
    body: true,
    command: true,
  })
  async record(
    @Caller() caller: Principal,
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: feedbackBody }) { requestId: given, rating, comment = null }: z.input<typeof feedbackBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const requestId = given.toLowerCase();
    if (await this.#isSynthetic(caller, id, requestId)) {
      throw new DomainError(
        'synthetic_content',
        'The model was sent a text that stands for a lost tool result, so its answer is no training data; rate another one.',
        [{ pointer: '/requestId', text: 'names a request with such a text' }],
      );
    }
    const answer = await this.commands.execute(new RecordFeedbackCommand(context, { requestId, rating, comment }));
    response.location(`/v1/sessions/${id}/events?after=${answer.version - 1}`);
    return answer;
  }

  async #isSynthetic(principal: Principal, sessionId: string, requestId: string): Promise<boolean> {
    if (!(await this.queries.isLarge(principal, sessionId))) return (await this.queries.synthetic(principal, sessionId, requestId)).synthetic;
    const { json } = await this.heavy.run({ kind: 'synthetic', principal, sessionId, requestId });
    return (JSON.parse(Buffer.from(json).toString()) as { readonly synthetic: boolean }).synthetic;
  }
}
