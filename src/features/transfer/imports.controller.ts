import { Controller, Inject, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags, textBody } from '../../http/documents/described.js';
import type { Request, Response } from 'express';
import type { CommandContext } from '../../engine/commands/context.js';
import { ImportSessionCommand } from './import-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { ImportFile } from '../../session/transfer/import-file.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { SpoolInterceptor } from '../../http/body/spool.interceptor.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { EXAMPLE, imported, NDJSON } from './transfer-schemas.js';
import { newSession } from '../../http/new-session.js';

const IMPORT_NOTE =
  'Accepts an export of this server, or a session file of Claude Code. Unreadable lines are skipped and listed; lines that are not part of the conversation are kept in the log and never sent. ' +
  'The session is visible once it is complete. A repeat with the same Idempotency-Key resumes an interrupted import.';

@ApiTags('transfer')
@Controller('v1/imports')
export class ImportsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL' | 'MAX_IMPORT_LINE_BYTES' | 'REFUSED_PROMPTS'>,
  ) {}

  @Post()
  @StreamedBody()
  @UseInterceptors(SpoolInterceptor)
  @textBody(NDJSON, EXAMPLE)
  @ApiRoute({
    operation: 'importSession',
    summary: 'Create a session from a file',
    description: IMPORT_NOTE,
    status: 201,
    response: imported,
    problems: ['quota_exceeded', 'nothing_to_import', 'payload_too_large', 'unsupported_media_type', 'session_erased'],
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
}
