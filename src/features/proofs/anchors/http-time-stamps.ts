import { createHash } from 'node:crypto';
import { TimeStamps, type TimeStamp, type Webhooks } from '../../../ports/index.js';

export class HttpTimeStamps extends TimeStamps {
  constructor(private readonly webhooks: Webhooks) {
    super();
  }

  override async stamp(url: string, content: Uint8Array): Promise<TimeStamp> {
    // Loaded with the first time stamp: a start would take longer by dozens of files.
    const { readTimeStamp, timeStampRequest } = await import('./rfc3161.js');
    const request = timeStampRequest(createHash('sha256').update(content).digest());
    const { status, body } = await this.webhooks.send(url, 'application/timestamp-query', request.body);
    if (status !== 200) throw new Error(`the time stamp authority answered with status ${status}`);
    const { token, time } = readTimeStamp(body, request);
    return { token, time: time.toISOString() };
  }
}
