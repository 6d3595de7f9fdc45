import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Inject, Logger, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../commands/context.js';
import { ImportSessionCommand } from '../../commands/import-session.js';
import { type Settings, SETTINGS } from '../../config/env.js';
import type { ImportFile } from '../../core/transfer/import-file.js';
import { SessionQueries } from '../../queries/session-queries.js';
import { Caller } from '../access/caller.js';
import { StreamedBody } from '../body/body.interceptor.js';
import { SpoolInterceptor } from '../body/spool.interceptor.js';
import { CommandContextOf } from '../command-context.js';
import { ApiRoute } from '../documents/api-route.js';
import { PathId } from '../path-id.js';
import { exportQuery, imported } from '../schemas/transfer-schemas.js';
import { newSession } from './new-session.js';
import type { Principal } from '../../core/session/principal.js';

const NDJSON = 'application/x-ndjson';

const EXPORT_NOTE =
  'One JSON value a line: first the settings (`{"type":"session","format":"verbatim/1",…}`), then every message of the path in force, oldest first, as it is stored; images and documents bring their bytes.';

const IMPORT_NOTE =
  'Takes our own export, or a session file of Claude Code. Lines that cannot be read are skipped and named; lines that are no part of the conversation are kept in the log and never sent. ' +
  'The session appears when all of it is there. A repeat under the same Idempotency-Key completes an import that was cut short.';

const EXAMPLE =
  '{"type":"session","format":"verbatim/1","title":"Sums"}\n{"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"content":"What is 2+2?"}\n';

@ApiTags('transfer')
@Controller('v1')
export class TransferController {
  readonly #log = new Logger('Transfer');

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL' | 'MAX_IMPORT_LINE_BYTES'>,
  ) {}

  @Get('sessions/:id/export')
  @ApiRoute({
    summary: 'The conversation as a file, to keep or to import',
    description: EXPORT_NOTE,
    status: 200,
    answer: NDJSON,
    example: EXAMPLE,
    refuses: ['session_not_found', 'invalid_input'],
  })
  async export(
    @Caller() caller: Principal,
    @PathId('id') id: string,
    @Query({ schema: exportQuery }) _: z.output<typeof exportQuery>,
    @Res() response: Response,
  ): Promise<void> {
    const { version, lines } = await this.queries.export(caller, id);
    response.type(NDJSON).setHeader('etag', `"${version}"`);
    response.setHeader('content-disposition', `attachment; filename="${id}.jsonl"`);
    // A client that goes away in the middle is nobody's fault, and there is nobody left to tell.
    await pipeline(Readable.from(this.#written(lines)), response).catch(() => {});
  }

  @Post('imports')
  @StreamedBody()
  @UseInterceptors(SpoolInterceptor)
  @ApiConsumes(NDJSON)
  @ApiBody({ required: true, schema: { type: 'string', example: EXAMPLE } })
  @ApiRoute({
    summary: 'Make a session of a file',
    description: IMPORT_NOTE,
    status: 201,
    answer: imported,
    refuses: ['nothing_to_import', 'payload_too_large', 'unsupported_media_type'],
    command: true,
  })
  async import(@CommandContextOf() context: CommandContext, @Req() request: Request, @Res({ passthrough: true }) response: Response) {
    const file = request.body as ImportFile;
    const command = new ImportSessionCommand(context, file, newSession({}, this.settings.MODEL), this.settings.MAX_IMPORT_LINE_BYTES);
    const { id, version, replayed, report } = await this.commands.execute(command);
    const { source, messages, retained, skipped, skippedTotal } = report;
    response.location(`/v1/sessions/${id}`);
    return { id, version, replayed, source, imported: messages, retained, skipped, skippedTotal };
  }

  /** In pieces that are worth sending, each made when the one before it is on its way. A file that breaks off must not look like a whole one, so its end is an error. */
  async *#written(lines: AsyncIterable<object>): AsyncGenerator<string> {
    let text = '';
    try {
      for await (const line of lines) {
        text += `${JSON.stringify(line)}\n`;
        if (text.length < CHUNK_CHARACTERS) continue;
        yield text;
        text = '';
      }
    } catch (error) {
      this.#log.error(error);
      throw error;
    }
    if (text !== '') yield text;
  }
}

const CHUNK_CHARACTERS = 64 * 1024;
