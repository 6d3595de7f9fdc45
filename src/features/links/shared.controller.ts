import { Controller, Get, Header, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { shared, sharedQuery } from './link-schemas.js';

/** What a link shows; the link is the bearer token. */
@ApiTags('people')
@Controller('v1/shared')
export class SharedController {
  constructor(private readonly queries: SessionQueries) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'readShared',
    access: 'link.read',
    summary: 'Read the conversation that a link shows',
    description: 'With the secret of a link as bearer token. The transcript of the path that ends with the message of the link.',
    status: 200,
    response: shared,
    problems: ['invalid_input', 'session_not_found'],
  })
  messages(@Caller() caller: AuthorizedCaller, @Query({ schema: sharedQuery }) { limit = 100, cursor = 0 }: z.output<typeof sharedQuery>) {
    return this.queries.shared(caller, cursor, limit);
  }

  @Get('blobs/:sha256')
  @Header('cache-control', 'no-store')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @ApiRoute({
    operation: 'getSharedBlob',
    access: 'link.read',
    summary: 'Get the bytes of a file of a message that the link shows',
    description: 'Only files of messages that the link shows, with their media type.',
    status: 200,
    response: 'application/octet-stream',
    problems: ['blob_not_found', 'session_not_found'],
  })
  async blob(@Caller() caller: AuthorizedCaller, @Param('sha256') name: string): Promise<StreamableFile> {
    const { mediaType, bytes, content, sha256 } = await this.queries.sharedBlob(caller, name.toLowerCase());
    return new StreamableFile(content, { type: mediaType, length: bytes, disposition: `attachment; filename="${sha256}"` });
  }
}
