import { Body, Controller, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { RecordFeedbackCommand } from './record-feedback.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { ComputePool } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { feedback, feedbackBody } from './feedback-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('view')
@Controller('v1/sessions/:id')
export class FeedbackController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    private readonly compute: ComputePool,
  ) {}

  @Post('feedback')
  @ApiRoute({
    operation: 'createFeedback',
    summary: 'Record feedback on an answer',
    description:
      'For training. Responds with 422 `synthetic_content` when the payload contains the placeholder for a lost tool result: such a conversation is not usable as training data.',
    status: 201,
    response: feedback,
    problems: ['request_not_found', 'synthetic_content'],
    body: true,
    command: RecordFeedbackCommand,
  })
  async record(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: feedbackBody }) { requestId: given, rating, comment = null }: z.input<typeof feedbackBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const requestId = given.toLowerCase();
    if (await this.#isSynthetic(caller, id, requestId)) {
      throw new DomainError(
        'synthetic_content',
        'The payload of this request contains the placeholder for a lost tool result, so its answer is not usable as training data; rate another request.',
        [{ pointer: '/requestId', text: 'names a request whose payload contains the placeholder' }],
      );
    }
    const answer = await this.commands.execute(new RecordFeedbackCommand(context, { feedback: { requestId, rating, comment } }));
    response.location(`/v1/sessions/${id}/events?after=${answer.version - 1}`);
    return answer;
  }

  async #isSynthetic(principal: AuthorizedCaller, sessionId: string, requestId: string): Promise<boolean> {
    if (!(await this.queries.isLarge(principal, sessionId))) return (await this.queries.synthetic(principal, sessionId, requestId)).synthetic;
    const { json } = await this.compute.run({ kind: 'synthetic', principal, sessionId, requestId });
    return (JSON.parse(Buffer.from(json).toString()) as { readonly synthetic: boolean }).synthetic;
  }
}
