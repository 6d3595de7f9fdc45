import { Controller, Get, Logger, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { Accounts, ReadSessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import { markdownOf } from '../../session/transcript/markdown/document.js';
import { sendTexts } from './send-texts.js';
import { markdownQuery } from './transfer-schemas.js';

const MARKDOWN = 'text/markdown';

const MARKDOWN_NOTE =
  'The current branch as readers see it: who wrote what and when, calls of tools folded with their input and result, files by name, the thinking of the model where it is asked for. ' +
  'Prompts are quotations. It is made to be read: an import reads `GET …/export`, and `format=log` there has the proof.';

const EXAMPLE = '# Sums\n\n## User: Ada\n\n*2026-01-02 03:04:05 UTC*\n\n> What is 2+2?\n';

@ApiTags('transfer')
@Controller('v1/sessions/:id/markdown')
export class MarkdownController {
  readonly #log = new Logger('Transfer');

  constructor(
    private readonly sessions: ReadSessions,
    private readonly accounts: Accounts,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'exportMarkdown',
    access: 'session.read',
    summary: 'Export the conversation as Markdown',
    description: MARKDOWN_NOTE,
    status: 200,
    response: MARKDOWN,
    example: EXAMPLE,
    problems: ['invalid_input'],
  })
  async markdown(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: markdownQuery }) { thinking = false }: z.output<typeof markdownQuery>,
    @Res() response: Response,
  ): Promise<void> {
    const { tenantId } = caller;
    const state = await this.sessions.load(tenantId, id);
    requireAccess(state, caller);
    const names = await this.accounts.names(tenantId, [...new Set(Array.from(state.prompts.values(), ({ by }) => by))]);
    response.type(MARKDOWN).setHeader('etag', `"${state.version}"`);
    response.setHeader('content-disposition', `attachment; filename="${id}.md"`);
    await sendTexts(response, markdownOf(state, { thinking, names }), this.#log);
  }
}
