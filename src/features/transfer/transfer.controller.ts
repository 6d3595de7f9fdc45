import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Inject, Logger, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { ImportSessionCommand } from './import-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { lineText } from '../../../packages/protocol/message/written-input.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import { LogExport } from '../../engine/queries/log-export.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { SpoolInterceptor } from '../../http/body/spool.interceptor.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { exportQuery, imported } from './transfer-schemas.js';
import { newSession } from '../../http/new-session.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const NDJSON = 'application/x-ndjson';

const EXPORT_NOTE =
  'One JSON value per line: first the settings (`{"type":"session","format":"verbatim/2",…}`), then every message as it is stored, oldest first; images and documents contain their bytes. ' +
  'Between them stand the rewinds (`{"type":"rewind",…}`) and restores (`{"type":"restore",…}`) of the conversation, so that an import has the same branches; `branches=current` leaves out all other branches. ' +
  'With `format=log`: every event of the log as it is stored, with salt, digest and hash, and the proof of the newest one; `verbatim verify` reads it.';

const IMPORT_NOTE =
  'Accepts an export of this server, or a session file of Claude Code. Unreadable lines are skipped and listed; lines that are not part of the conversation are kept in the log and never sent. ' +
  'The session is visible once it is complete. A repeat with the same Idempotency-Key resumes an interrupted import.';

const EXAMPLE =
  '{"type":"session","format":"verbatim/2","title":"Sums"}\n{"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"content":"What is 2+2?"}\n';

@ApiTags('transfer')
@Controller('v1')
export class TransferController {
  readonly #log = new Logger('Transfer');

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    private readonly logExport: LogExport,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL' | 'MAX_IMPORT_LINE_BYTES' | 'REFUSED_PROMPTS'>,
  ) {}

  @Get('sessions/:id/export')
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
    // A client that disconnects is not an error, and there is no response left to send.
    await pipeline(Readable.from(this.#chunks(lines)), response).catch(() => {});
  }

  @Post('imports')
  @StreamedBody()
  @UseInterceptors(SpoolInterceptor)
  @ApiConsumes(NDJSON)
  @ApiBody({ required: true, schema: { type: 'string', example: EXAMPLE } })
  @ApiRoute({
    operation: 'importSession',
    summary: 'Create a session from a file',
    description: IMPORT_NOTE,
    status: 201,
    response: imported,
    problems: ['quota_exceeded', 'nothing_to_import', 'payload_too_large', 'unsupported_media_type'],
    command: ImportSessionCommand,
  })
  async import(@CommandContextOf() context: CommandContext, @Req() request: Request, @Res({ passthrough: true }) response: Response) {
    const file = request.body as ImportFile;
    const command = new ImportSessionCommand(context, {
      file,
      defaults: newSession({}, this.settings.MODEL),
      maxMessageBytes: this.settings.MAX_IMPORT_LINE_BYTES,
      keepsRefusedPrompts: this.settings.REFUSED_PROMPTS === 'keep',
    });
    const { id, version, replayed, report } = await this.commands.execute(command);
    const { messages, lines: _, origin: __, ...rest } = report;
    response.location(`/v1/sessions/${id}`);
    return { id, version, replayed, imported: messages, ...rest };
  }

  /** Chunks of at least CHUNK_CHARACTERS, produced at the pace of the client. A truncated file must not look complete, so an error is passed on and closes the connection. */
  async *#chunks(lines: AsyncIterable<object>): AsyncGenerator<string> {
    let text = '';
    try {
      for await (const line of lines) {
        text += `${lineText(line)}\n`;
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
