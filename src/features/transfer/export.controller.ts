import { Controller, Get, Logger, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { lineText } from '../../../packages/protocol/message/written-input.js';
import { LogExport } from '../../engine/queries/log-export.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { sendTexts } from './send-texts.js';
import { EXAMPLE, exportQuery, NDJSON } from './transfer-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const EXPORT_NOTE =
  'One JSON value per line: first the settings (`{"type":"session","format":"verbatim/2",…}`), then every message as it is stored, oldest first; images and documents contain their bytes. ' +
  'Between them stand the rewinds (`{"type":"rewind",…}`) and restores (`{"type":"restore",…}`) of the conversation, so that an import has the same branches; `branches=current` leaves out all other branches. ' +
  "Changes of the session's folder (`files`) come with their contents (`content`), each once. " +
  'With `format=log`: every event of the log as it is stored, with salt, digest and hash, and the proof of the newest one; `verbatim verify` reads it.';

@ApiTags('transfer')
@Controller('v1/sessions/:id/export')
export class ExportController {
  readonly #log = new Logger('Transfer');

  constructor(
    private readonly queries: SessionQueries,
    private readonly logExport: LogExport,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'exportSession',
    access: 'session.read',
    summary: 'Export the conversation as a file',
    description: EXPORT_NOTE,
    status: 200,
    response: NDJSON,
    example: EXAMPLE,
    problems: ['invalid_input'],
  })
  async export(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: exportQuery }) { format, branches = 'all' }: z.output<typeof exportQuery>,
    @Res() response: Response,
  ): Promise<void> {
    const { version, lines } = format === 'log' ? await this.logExport.export(caller, id) : await this.queries.export(caller, id, branches);
    response.type(NDJSON).setHeader('etag', `"${version}"`);
    response.setHeader('content-disposition', `attachment; filename="${id}.jsonl"`);
    await sendTexts(response, linesOf(lines), this.#log);
  }
}

async function* linesOf(values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield `${lineText(value)}\n`;
}
