import { Controller, Get, Header, Headers, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const NOTE =
  'Addressed by the SHA-256 (hexadecimal) in a message: the original, or the version resized for the model. Files of other sessions are not found. The content of an address never changes.';

/** Media types that a browser may render inline; every other type is a download. */
const INLINE = /^image\/(?:jpeg|png|gif|webp)$/;

@ApiTags('log')
@Controller('v1/sessions/:id/blobs')
export class BlobsController {
  constructor(private readonly queries: SessionQueries) {}

  @Get(':sha256')
  @Header('cache-control', 'private, max-age=31536000, immutable')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @ApiRoute({
    operation: 'getBlob',
    access: 'session.read',
    summary: 'Get the bytes of an image or a document of the session',
    description: NOTE,
    status: 200,
    response: 'application/octet-stream',
    problems: ['blob_not_found'],
  })
  async blob(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Param('sha256') name: string,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile | undefined> {
    const { sha256, mediaType, bytes, content } = await this.queries.blob(caller, id, name.toLowerCase());
    response.setHeader('etag', `"${sha256}"`);
    if (known?.includes(`"${sha256}"`)) {
      response.status(304);
      return undefined;
    }
    const disposition = INLINE.test(mediaType) ? 'inline' : `attachment; filename="${sha256}${mediaType === 'application/pdf' ? '.pdf' : ''}"`;
    return new StreamableFile(content, { type: mediaType, disposition, length: bytes });
  }
}
