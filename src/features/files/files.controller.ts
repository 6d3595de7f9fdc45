import { Controller, Get, Header, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { FileQueries } from './file-queries.js';
import { diffQuery, fileDiff, fileQuery, files, filesQuery, fileVersions, versionsQuery } from './file-schemas.js';

const LIMIT = 1_000;

@ApiTags('files')
@Controller('v1/sessions/:id/files')
export class FilesController {
  constructor(private readonly queries: FileQueries) {}

  @Get()
  @ApiRoute({
    operation: 'listFiles',
    access: 'session.read',
    summary: "List the files of the session's folder, now or at any point",
    description: 'From the log: no folder is looked at, and a turn may run. `skipped` names what was in the folder and was not recorded.',
    status: 200,
    response: files,
    problems: ['invalid_input', 'message_not_found'],
  })
  list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: filesQuery }) query: z.output<typeof filesQuery>) {
    const { at, cursor = 0, limit = LIMIT } = query;
    return this.queries.list(caller, id, { at: at?.toLowerCase() ?? null, after: cursor, limit });
  }

  @Get('versions')
  @ApiRoute({
    operation: 'listFileVersions',
    access: 'session.read',
    summary: 'List the changes of the files',
    description: 'Oldest first. Each names the turn and the call after which it was found, and what it changed: `…/files/diff?to=<id>` shows it.',
    status: 200,
    response: fileVersions,
    problems: ['invalid_input'],
  })
  versions(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: versionsQuery }) query: z.output<typeof versionsQuery>) {
    return this.queries.versions(caller, id, query.cursor ?? 0, query.limit ?? LIMIT);
  }

  @Get('content')
  @Header('cache-control', 'private, no-cache')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @ApiRoute({
    operation: 'getFile',
    access: 'session.read',
    summary: 'Get the bytes of a file, now or at any point',
    description: 'Of a symbolic link, its target.',
    status: 200,
    response: 'application/octet-stream',
    problems: ['invalid_input', 'message_not_found', 'blob_not_found', 'file_erased'],
  })
  async content(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: fileQuery }) { path, at }: z.output<typeof fileQuery>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { sha256, bytes, content } = await this.queries.read(caller, id, path, at?.toLowerCase() ?? null);
    response.setHeader('etag', `"${sha256}"`);
    const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).replaceAll("'", '%27');
    return new StreamableFile(content, { type: 'application/octet-stream', disposition: `attachment; filename*=UTF-8''${name}`, length: bytes });
  }

  @Get('diff')
  @ApiRoute({
    operation: 'diffFiles',
    access: 'session.read',
    summary: 'Compare the files of two points, or what a turn changed',
    description: 'With unified diffs of texts. Without `from`, the change that led to `to`; with `turn`, what was changed in that turn.',
    status: 200,
    response: fileDiff,
    problems: ['invalid_input', 'message_not_found', 'turn_not_found'],
  })
  diff(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: diffQuery }) query: z.output<typeof diffQuery>) {
    const { from, to, turn, path } = query;
    const lower = (given: string | undefined): string | null => given?.toLowerCase() ?? null;
    return this.queries.diff(caller, id, { from: lower(from), to: lower(to), turn: lower(turn), path: path ?? null });
  }
}
