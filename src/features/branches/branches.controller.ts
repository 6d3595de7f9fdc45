import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { CommandContext } from '../../engine/commands/context.js';
import { RestoreBranchCommand } from '../../engine/commands/restore-branch.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { branches, branchRestored } from '../../http/schemas/history-schemas.js';
import { noBody } from '../../http/schemas/session-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('rewinds and branches')
@Controller('v1/sessions/:id/branches')
export class BranchesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listBranches',
    access: 'session.read',
    summary: 'List the branches that rewinds, edits, regenerations and restores have left, and the current one',
    description: 'Each with its last message, its length and its text, so that a reader can choose.',
    status: 200,
    response: branches,
    problems: [],
  })
  branches(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.branches(caller, id);
  }

  @Post(':tip/restore')
  @ApiRoute({
    operation: 'restoreBranch',
    summary: 'Make another branch the current one',
    description: 'The current branch stays and can be restored in the same way. The files of the folder come back with a branch whose `left.files` is true.',
    status: 201,
    response: branchRestored,
    problems: ['branch_not_found', 'session_busy'],
    body: true,
    command: RestoreBranchCommand,
  })
  async restoreBranch(
    @PathId('id') id: string,
    @PathId('tip') tip: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: noBody }) _: object,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new RestoreBranchCommand(context, { tip }));
    response.location(`/v1/sessions/${id}/branches`);
    return answer;
  }
}
