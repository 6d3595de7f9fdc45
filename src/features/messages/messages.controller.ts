import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { messages, messagesQuery } from '../../http/schemas/history-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('log')
@Controller('v1/sessions/:id/messages')
export class MessagesController {
  constructor(private readonly queries: SessionQueries) {}

  @Get()
  @ApiRoute({
    operation: 'listMessages',
    access: 'session.read',
    summary: 'List the transcript, or every message',
    description:
      '`view=transcript` (the default) is for display: prompts, answers, results of tool calls, notices and attachments for readers, each with its author in `by` (`kind`: `user`, `model` or ' +
      '`system`; `id`: the user or the model). `isInterruption` marks the note that a user interrupted the turn. `view=full` has every stored message, unchanged, including those for the model only.',
    status: 200,
    response: messages,
    problems: ['invalid_input'],
  })
  messages(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: messagesQuery }) query: z.output<typeof messagesQuery>) {
    const { view = 'transcript', split, tombstones = false, notes = false, limit = 100, cursor = 0, newest = false } = query;
    return this.queries.messages(caller, id, { view, split: split === 'blocks', tombstones, notes, after: newest ? 'newest' : cursor, limit });
  }
}
