import { createHash } from 'node:crypto';
import { TimeStamps, type TimeStamp, type Webhooks } from '../../core/ports.js';
import { readTimeStamp, timeStampRequest } from './rfc3161.js';

export class HttpTimeStamps extends TimeStamps {
  constructor(private readonly webhooks: Webhooks) {
    super();
  }

  override async stamp(url: string, content: Uint8Array): Promise<TimeStamp> {
    const request = timeStampRequest(createHash('sha256').update(content).digest());
    const { status, body } = await this.webhooks.send(url, 'application/timestamp-query', request.body);
    if (status !== 200) throw new Error(`the time stamp authority answered with status ${status}`);
    const { token, time } = readTimeStamp(body, request);
    return { token, time: time.toISOString() };
  }
}
