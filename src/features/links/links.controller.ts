import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type LinkInfo, Links } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { link, linkBody, links } from './link-schemas.js';

const DAY_MS = 86_400_000;

/** Links that show a conversation to everybody who has them. */
@ApiTags('people')
@Controller('v1/sessions/:id/links')
export class LinksController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly stored: Links,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'LINKS_PER_SESSION' | 'LINK_DAYS'>,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'createLink',
    access: 'session.grant',
    summary: 'Create a link that shows the conversation up to a message',
    description:
      'Shows the path that ends with `at`: nothing after it and no other branch. It is the secret that counts, not who has it; what is read with it is in the list of accesses.',
    status: 201,
    response: link,
    problems: ['limit_reached', 'message_not_found', 'session_erased'],
    body: true,
  })
  async create(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Body({ schema: linkBody }) { expiresAt, at }: z.output<typeof linkBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const target = at?.toLowerCase() ?? null;
    await this.queries.requireShareable(caller, id, target);
    const days = (Date.parse(expiresAt) - caller.now) / DAY_MS;
    if (days <= 0 || days > this.settings.LINK_DAYS) {
      throw new DomainError('invalid_input', `A link must expire in the future, within ${this.settings.LINK_DAYS} days.`, [
        { pointer: '/expiresAt', text: `must be within ${this.settings.LINK_DAYS} days from now` },
      ]);
    }
    const { tenantId, userId } = caller;
    const made = await this.stored.create({ tenantId, sessionId: id, at: target, createdBy: userId, expiresAt }, this.settings.LINKS_PER_SESSION);
    if (!made) throw new DomainError('limit_reached', `This session has ${this.settings.LINKS_PER_SESSION} valid links, which is the limit; revoke one first.`);
    response.setHeader('cache-control', 'no-store');
    return viewOf(made);
  }

  @Get()
  @ApiRoute({
    operation: 'listLinks',
    access: 'session.grant',
    summary: 'List the valid links of the session',
    description: 'With the number of times each was used. Secrets are not shown again.',
    status: 200,
    response: links,
    problems: [],
  })
  async list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    await this.queries.session(caller, id);
    return { data: (await this.stored.list(caller.tenantId, id)).map(viewOf) };
  }

  @Delete(':linkId')
  @HttpCode(204)
  @ApiRoute({
    operation: 'revokeLink',
    access: 'session.grant',
    summary: 'Revoke a link',
    description: 'Whoever reads by it is cut off within a second.',
    status: 204,
    response: null,
    problems: ['not_found'],
  })
  async revoke(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @PathId('linkId') linkId: string): Promise<void> {
    await this.queries.session(caller, id);
    if (!(await this.stored.revoke(caller.tenantId, id, linkId, caller.userId)))
      throw new DomainError('not_found', 'This session has no valid link with this id.');
  }
}

const viewOf = <Info extends LinkInfo>(info: Info) => ({ ...info, role: 'viewer' as const });
