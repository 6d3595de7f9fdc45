import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import { ApiTags, described } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { tileAt } from '../../../packages/proofs/tiles.js';
import { TransparencyQueries } from '../../engine/audit/transparency-queries.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { anchors, anchorsQuery, consistency, consistencyQuery } from '../../http/schemas/audit-schemas.js';

const TEXT = 'text/plain';

const DEFAULT_ANCHORS = 20;

const PUBLIC_NOTE =
  'Anybody may read it: the log is of use only to those who compare it. It has hashes and sizes, nothing of a session, and no hash confirms a guess of content or of a session.';

/** The transparency log in the formats of C2SP tlog-tiles. There are no entry bundles: the leaves name sessions. */
@ApiTags('proof')
@Controller('v1/log')
export class LogController {
  constructor(private readonly queries: TransparencyQueries) {}

  @Get('checkpoint')
  @Header('cache-control', 'no-cache')
  @ApiRoute({
    operation: 'getCheckpoint',
    access: 'public',
    summary: 'Get the newest signed checkpoint of the transparency log',
    description: `C2SP tlog-checkpoint: a signed note with origin, size and root. ${PUBLIC_NOTE}`,
    status: 200,
    response: TEXT,
    problems: ['not_found', 'unavailable'],
  })
  async checkpoint(@Res() response: Response): Promise<void> {
    const { note } = await this.queries.checkpoint();
    response.type(TEXT).send(note);
  }

  @Get('key')
  @Header('cache-control', 'no-cache')
  @ApiRoute({
    operation: 'getLogKey',
    access: 'public',
    summary: 'Get the public key that verifies the newest checkpoint',
    description:
      'As golang.org/x/mod/sumdb/note reads it. A key that comes from the same server as the checkpoint proves nothing: keep it, or get it another way.',
    status: 200,
    response: TEXT,
    problems: ['not_found', 'unavailable'],
  })
  async key(@Res() response: Response): Promise<void> {
    const { verifier } = await this.queries.checkpoint();
    response.type(TEXT).send(`${verifier}\n`);
  }

  @Get('anchors')
  @ApiRoute({
    operation: 'listAnchors',
    access: 'public',
    summary: 'List the newest time stamps and witness cosignatures of checkpoints',
    description: 'A time stamp is an RFC 3161 token over the checkpoint; a cosignature stands below the checkpoint (C2SP tlog-cosignature).',
    status: 200,
    response: anchors,
    problems: ['invalid_input', 'unavailable'],
  })
  anchors(@Query({ schema: anchorsQuery }) { limit }: z.output<typeof anchorsQuery>) {
    return this.queries.anchors(limit ?? DEFAULT_ANCHORS);
  }

  @Get('consistency')
  @ApiRoute({
    operation: 'getConsistencyProof',
    access: 'public',
    summary: 'Get the proof that a checkpoint continues an earlier one',
    description: 'By the hashes of RFC 9162: nothing that the earlier checkpoint covers was changed or removed since.',
    status: 200,
    response: consistency,
    problems: ['invalid_input', 'not_found', 'unavailable'],
  })
  consistency(@Query({ schema: consistencyQuery }) { from, to }: z.output<typeof consistencyQuery>) {
    return this.queries.consistency(from, to);
  }

  @Get('tile/*path')
  @described((library) => [library.ApiParam({ name: 'path', type: 'string' })])
  @ApiRoute({
    operation: 'getTile',
    access: 'public',
    summary: 'Get a tile of the transparency log',
    description: 'C2SP tlog-tiles: `0/x001/234` is a full tile of 256 hashes, `0/x001/234.p/5` the first five hashes of one that may not be full yet.',
    status: 200,
    response: 'application/octet-stream',
    problems: ['not_found', 'unavailable'],
  })
  async tile(@Param('path') path: string | readonly string[], @Res() response: Response): Promise<void> {
    const hashes = await this.queries.tile(tileAt(`tile/${typeof path === 'string' ? path : path.join('/')}`));
    // A tile never changes, whether full or the first hashes of one.
    response.setHeader('cache-control', 'public, max-age=31536000, immutable');
    response.type('application/octet-stream').send(hashes);
  }
}
