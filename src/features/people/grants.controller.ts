import { Body, Controller, Delete, Get, Inject, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { GrantRoleCommand, RevokeGrantCommand } from './people-commands.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Accounts } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { grantPrincipal } from '../../http/principal-param.js';
import { grantBody, grants } from './people-schemas.js';

/** Who may do what in a session. */
@ApiTags('people')
@Controller('v1/sessions/:id/grants')
export class GrantsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    private readonly accounts: Accounts,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'GRANTS_PER_SESSION'>,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listGrants',
    access: 'session.audit',
    summary: 'List who has a role in the session',
    description: 'Users and groups, each with the role, and who gave it.',
    status: 200,
    response: grants,
    problems: [],
  })
  list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.grants(caller, id);
  }

  @Put(':principal')
  @ApiRoute({
    operation: 'grantRole',
    summary: 'Give a user or a group a role in the session',
    description:
      'The principal is `user:` and an id or a name, or `group:` and a name. A user may be granted a role before they have signed in for the first time. Of several roles of a user each counts. ' +
      'A session may have several owners; give the role `owner` and take your own away to hand it over. A fork belongs to the user who makes it and inherits no grants.',
    status: 200,
    response: grants,
    problems: ['limit_reached', 'last_owner'],
    body: true,
    command: GrantRoleCommand,
  })
  grant(
    @PathId('id') _: string,
    @Param('principal') principal: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: grantBody }) { role }: z.output<typeof grantBody>,
  ) {
    const grant = { principal: this.#principal(context.principal, principal), role, limit: this.settings.GRANTS_PER_SESSION };
    return this.commands.execute(new GrantRoleCommand(context, grant));
  }

  @Delete(':principal')
  @ApiRoute({
    operation: 'revokeGrant',
    summary: 'Take the role of a user or a group away; without being an owner, your own',
    description: 'Ends the open event streams that the role allowed, in every process.',
    status: 200,
    response: grants,
    problems: ['last_owner'],
    command: RevokeGrantCommand,
  })
  revoke(@PathId('id') _: string, @Param('principal') principal: string, @CommandContextOf() context: CommandContext) {
    return this.commands.execute(new RevokeGrantCommand(context, { principal: this.#principal(context.principal, principal) }));
  }

  #principal({ tenantId }: AuthorizedCaller, given: string): string {
    return grantPrincipal(given, (name) => this.accounts.userId(tenantId, name));
  }
}
