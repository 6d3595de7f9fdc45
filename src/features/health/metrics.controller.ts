import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import { Telemetry } from '../../ports/index.js';
import { ApiRoute } from '../../http/documents/api-route.js';

@ApiTags('operation')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly telemetry: Telemetry) {}

  @Get()
  @ApiRoute({
    operation: 'getMetrics',
    access: 'operator',
    summary: 'Get the metrics in the Prometheus text format',
    description: 'With OPERATOR_TOKEN as a bearer token; without that setting, from this machine only, and with TOOLS not at all.',
    status: 200,
    response: 'text/plain',
    problems: ['unavailable'],
  })
  async metrics(@Res() response: Response): Promise<void> {
    const { contentType, text } = await this.telemetry.exposition();
    response.setHeader('content-type', contentType);
    response.end(text);
  }
}
