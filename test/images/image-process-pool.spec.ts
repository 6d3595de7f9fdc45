import { describe, expect, it } from '@jest/globals';
import { ImageProcessPool } from '../../src/engine/images/image-process-pool.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { type ComputeResult, type ComputeTask, ComputePool } from '../../src/ports/index.js';

class Work extends ComputePool {
  readonly asked: ComputeTask[] = [];

  constructor(private readonly answer: () => Promise<object>) {
    super();
  }

  override async run(task: ComputeTask): Promise<ComputeResult> {
    this.asked.push(task);
    return { json: Buffer.from(JSON.stringify(await this.answer())), version: null };
  }

  override forget(): void {}
}

const IMAGE = { tenantId: 't', sessionId: 's', sha256: 'a' };
const BOX = { pixelsPerSide: 9, patches: 9, base64Bytes: 9 };
const fit = (answer: () => Promise<object>, signal = new AbortController().signal) => new ImageProcessPool(new Work(answer)).fit(IMAGE, BOX, signal);
const failing = (code: 'unavailable' | 'payload_too_large', details: Record<string, string | number>) => async () => {
  throw new DomainError(code, 'No.', [], details);
};

describe('ImageProcessPool', () => {
  it('passes the image by hash, not by content', async () => {
    const fitted = { sha256: 'b', mediaType: 'image/png', bytes: 1, width: 1, height: 1, original: { width: 2, height: 2 } };
    const work = new Work(async () => ({ fitted }));
    expect(await new ImageProcessPool(work).fit(IMAGE, BOX, new AbortController().signal)).toEqual(fitted);
    expect(work.asked).toEqual([{ kind: 'fit', image: IMAGE, box: BOX }]);
  });

  it.each([
    ['the decoder says so', async () => ({ unusable: 'is damaged' }), 'is damaged'],
    ['it takes the time of all others', failing('unavailable', { limit: 5 }), 'takes too long to decode'],
    ['it takes all memory', failing('payload_too_large', { limit: 5 }), 'needs more memory to decode than the limit for one image'],
    ['it crashes the decoder', failing('unavailable', { signal: 'SIGSEGV' }), 'cannot be decoded: it crashes the decoder'],
  ])('are unusable when %s', async (_, answer, reason) => {
    await expect(fit(answer)).rejects.toMatchObject({ name: 'UnusableImage', reason });
  });

  it('does not blame the image for failures of the pool', async () => {
    await expect(fit(failing('unavailable', { retryAfter: 2 }))).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
    await expect(fit(async () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
  });

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    const waiting = fit(() => new Promise(() => {}), stop.signal);
    stop.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(fit(async () => ({}), stop.signal)).rejects.toThrow('stop');
  });
});
