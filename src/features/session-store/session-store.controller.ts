import { Controller, Get, Header, HttpCode, Inject, Post, Query, Req, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags, textBody } from '../../http/documents/described.js';
import type { Request } from 'express';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { utf8Length } from '../../../packages/protocol/message/text.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { Caller } from '../../http/access/caller.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { SpoolInterceptor } from '../../http/body/spool.interceptor.js';
import type { SpooledLines } from '../../http/body/spooled-lines.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { NewLine } from '../../session/stored-file/stored-lines.js';
import { AppendLinesCommand } from './append-lines.js';
import { FileReader } from './file-reader.js';
import type { GivenLines } from './file-writer.js';
import { appended, EXAMPLE, fileHeader, files, lines, linesQuery, listQuery } from './session-store-schemas.js';

const APPEND_NOTE =
  'The body has a JSON object per line: first `{projectKey, sessionId, subpath?, summary?}`, which names the file, then the lines to append, as the program has written them. Each file of a user is a session, which its first lines create; ' +
  'messages, branches and search follow from its lines as with an import. A line whose `uuid` is there is left out, and so is a repeat of a whole append in which a line has a `uuid`; for other lines the Idempotency-Key tells a repeat. ' +
  '`summary` has the present one as `data`, and as `after` the number of that which it was made from. While a turn of the server runs in the session, and while it is closed, lines are kept; their messages follow with the next append.';

/** The store of session files for the Agent SDK. A file is a session of the user who appends to it. */
@ApiTags('session store')
@Controller('v1/session-store')
export class SessionStoreController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reader: FileReader,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SESSION_FILE_APPEND_BYTES' | 'SESSION_FILE_SUMMARY_BYTES' | 'SESSION_FILE_PAGE_BYTES'>,
  ) {}

  @Post()
  @HttpCode(200)
  @StreamedBody()
  @UseInterceptors(SpoolInterceptor)
  @textBody('application/x-ndjson', EXAMPLE)
  @ApiRoute({
    operation: 'appendSessionFile',
    summary: 'Append lines to a session file of the Agent SDK',
    description: APPEND_NOTE,
    status: 200,
    response: appended,
    problems: [
      'payload_too_large',
      'unsupported_media_type',
      'quota_exceeded',
      'session_not_found',
      'session_erased',
      'session_busy',
      'summary_outdated',
      'server_outdated',
      'log_tampered',
    ],
    command: AppendLinesCommand,
  })
  async append(@CommandContextOf() context: CommandContext, @Req() request: Request) {
    return this.commands.execute(new AppendLinesCommand(context, await this.#given(request.body as SpooledLines)));
  }

  @Get()
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'listSessionFiles',
    access: 'session.list',
    summary: 'List your session files of a project',
    description:
      'Newest change first. Archived sessions, and sessions whose metadata has another `sessionFile`, are not listed; nor are forks and imports of a file. With summaries a page is at most `SESSION_FILE_PAGE_BYTES` long.',
    status: 200,
    response: files,
    problems: ['invalid_input', 'server_outdated', 'log_tampered'],
  })
  async list(@Caller() caller: AuthorizedCaller, @Query({ schema: listQuery }) query: z.output<typeof listQuery>) {
    const { projectKey, sessionId = null, summaries = false, limit = 100, cursor = null } = query;
    const most = summaries ? Math.min(limit, this.#summariesOfPage) : limit;
    const { data, nextCursor } = await this.reader.list(caller, projectKey, sessionId, most, cursor);
    if (!summaries) return { data, nextCursor };
    const whole = [];
    for (const file of data) whole.push(await this.reader.withSummary(caller, file));
    return { data: whole, nextCursor };
  }

  @Get('lines')
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'listSessionFileLines',
    access: 'session.list',
    summary: 'Get the lines of a session file as they were appended',
    description: 'In pages of at most `SESSION_FILE_PAGE_BYTES` and the last append. 404 for a file that was never written, or was erased.',
    status: 200,
    response: lines,
    problems: ['invalid_input', 'not_found', 'forbidden', 'session_not_found', 'server_outdated', 'log_tampered'],
  })
  lines(@Caller() caller: AuthorizedCaller, @Query({ schema: linesQuery }) query: z.output<typeof linesQuery>) {
    const { projectKey, sessionId, subpath = null, after = 0 } = query;
    return this.reader.lines(caller, { projectKey, sessionId, subpath }, after);
  }

  /** How many summaries of the greatest length a page has. */
  get #summariesOfPage(): number {
    return Math.max(1, Math.floor(this.settings.SESSION_FILE_PAGE_BYTES / this.settings.SESSION_FILE_SUMMARY_BYTES));
  }

  #requireLength(summary: Json): void {
    const most = this.settings.SESSION_FILE_SUMMARY_BYTES;
    if (utf8Length(JSON.stringify(summary)) <= most) return;
    throw new DomainError('payload_too_large', `The summary exceeds the limit of ${most} bytes.`, [{ pointer: 'line 1: /summary/data', text: 'is too long' }], {
      limit: most,
    });
  }

  async #given(file: SpooledLines): Promise<GivenLines> {
    const most = this.settings.SESSION_FILE_APPEND_BYTES;
    let header: z.output<typeof fileHeader> | null = null;
    let total = 0;
    const found: NewLine[] = [];
    for await (const read of file.lines()) {
      const { line } = read;
      if ('reason' in read) throw wrongLine(line, read.reason);
      if (read.shortened !== undefined) throw tooLarge('A line is longer than a line of an import may be.');
      if (header === null) {
        header = headerIn(read.value, line);
        continue;
      }
      if (!isObject(read.value)) throw wrongLine(line, 'is not a JSON object');
      total += read.bytes;
      if (total > most) throw tooLarge(`The lines exceed the limit of ${most} bytes; append them in parts.`);
      found.push({ text: await file.text(line), value: read.value });
    }
    if (header === null) throw wrongLine(1, 'is missing; it names the file');
    const { projectKey, sessionId, subpath = null, summary } = header;
    if (summary) this.#requireLength(summary.data);
    return { key: { projectKey, sessionId, subpath }, lines: found, summary: summary ? { data: summary.data, after: summary.after } : null };
  }
}

function headerIn(value: unknown, line: number): z.output<typeof fileHeader> {
  const { success, data, error } = fileHeader.safeParse(value);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => ({ pointer: `line ${line}: /${path.join('/')}`, text: message }));
  throw new DomainError('invalid_input', 'The first line must name the session file: {"projectKey": …, "sessionId": …}.', faults);
}

const wrongLine = (line: number, reason: string): DomainError =>
  new DomainError('invalid_input', `Line ${line} ${reason}.`, [{ pointer: `line ${line}`, text: reason }]);

const tooLarge = (message: string): DomainError => new DomainError('payload_too_large', message);
