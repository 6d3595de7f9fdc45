import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { BackgroundAudits } from '../../engine/audit/background-audits.js';
import { AuditQueries } from '../../engine/audit/audit-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { audit, auditQuery, tenantAudit, tenantAuditQuery } from '../../http/schemas/audit-schemas.js';

const DEFAULT_PAGE = 20;

@ApiTags('proof')
@Controller('v1')
export class AuditController {
  constructor(
    private readonly audits: AuditQueries,
    private readonly background: BackgroundAudits,
  ) {}

  @Get('sessions/:id/audit')
  @ApiRoute({
    operation: 'auditSession',
    access: 'session.audit',
    summary: 'Verify the hash chain of the log, and compare it with the transparency log',
    description:
      'Reads every event again from the database and checks content, order, erasures and the head that was published. What is wrong is in `finding`, with its event.',
    status: 200,
    response: audit,
    problems: ['invalid_input'],
  })
  session(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: auditQuery }) { proof = false, requests = 0 }: z.output<typeof auditQuery>,
  ) {
    return this.audits.session(caller, id, { withProof: proof, requests }, requests > 0 ? this.background : undefined);
  }

  @Get('audit')
  @ApiRoute({
    operation: 'auditTenant',
    access: 'tenant.audit',
    summary: "Audit the tenant's sessions, a page at a time",
    description: 'By the ids in the transparency log, so that a session that was deleted from the tables is reported. Each session is read as a whole.',
    status: 200,
    response: tenantAudit,
    problems: ['invalid_input', 'server_outdated'],
  })
  tenant(
    @Caller() caller: AuthorizedCaller,
    @Query({ schema: tenantAuditQuery }) { cursor, limit }: z.output<typeof tenantAuditQuery>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    return this.audits.tenant(caller, cursor ?? null, limit ?? DEFAULT_PAGE, gone.signal);
  }
}
