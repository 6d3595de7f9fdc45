import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PrometheusTelemetry } from '../../src/platform/telemetry/prometheus-telemetry.js';
import { type AttachmentProvider, type AttachmentRequest, type StandingSource } from '../../src/ports/index.js';
import type { AttachmentMessage } from '../../packages/protocol/message/message.js';
import { AttachmentReads } from '../../src/engine/turn/attachment-reads.js';
import { StandingContext } from '../../src/engine/turn/standing-context.js';
import { GatherAttachments } from '../../src/engine/turn/prepare/gather-attachments.js';
import { CheckpointRecorder } from '../../src/engine/turn/prepare/checkpoints.js';
import { promptDraft } from '../../src/engine/turn/prepare/prompt-draft.js';
import { session, SETTINGS, submission, turn } from '../support/given-session.js';
import type { Attachment } from '../../packages/protocol/message/attachment.js';

Logger.overrideLogger(false);

const clock = { now: () => 1_000, timestamp: () => new Date(1_000).toISOString(), uuid: () => 'u' };
const provider = (name: string, gather: (request: AttachmentRequest, signal: AbortSignal) => Promise<readonly Attachment[]>): AttachmentProvider => ({
  name,
  gather,
});

const job = { tenantId: 't', sessionId: 's', turnId: 't2', claim: { jobId: 't2', fence: 1 } };
const aborts = new AbortController().signal;

function stage(...all: readonly AttachmentProvider[]) {
  const telemetry = new PrometheusTelemetry();
  const gather = new GatherAttachments({ all, standing: [] }, new AttachmentReads(telemetry, { ATTACHMENT_TIMEOUT_MS: 50 }));
  const marks = new CheckpointRecorder(clock, telemetry);
  const scene = session();
  turn(scene, 1);
  const run = (mode: 'prompt' | 'bash' = 'prompt', signal = aborts, given = {}) =>
    gather.apply({ ...promptDraft(job, { ...submission(2), mode }, SETTINGS), ...given }, scene.state, marks, signal);
  return { run, marks, metrics: async () => (await telemetry.exposition()).text };
}

describe('gathering attachments', () => {
  it('calls all providers concurrently and keeps their order', async () => {
    let started = 0;
    let release = (): void => undefined;
    const all = new Promise<void>((resolve) => (release = resolve));
    const waiting = (name: string) =>
      provider(name, async () => {
        started += 1;
        if (started === 3) release();
        await all; // none of them would end if they were asked one after the other
        return [{ type: name }];
      });
    const { run, marks, metrics } = stage(waiting('a'), waiting('b'), waiting('c'));
    expect((await run()).attachments).toEqual([{ type: 'a' }, { type: 'b' }, { type: 'c' }]);
    expect(marks.all().map(({ label }) => label)).toEqual(['query_attachment_loading_start', 'query_attachment_loading_end']);
    expect(await metrics()).toContain('verbatim_attachments_total{provider="a",outcome="given"} 1');
  });

  it('passes the prompt to them', async () => {
    let seen: AttachmentRequest | null = null;
    const { run } = stage(provider('a', async (request) => ((seen = request), [])));
    await run();
    expect(seen).toMatchObject({ tenantId: 't', sessionId: 's', submission: { promptId: 'p2' }, text: 'prompt 2' });
  });

  it('continues without a provider that fails, hangs, or throws synchronously, and tells readers', async () => {
    const { run, metrics } = stage(
      provider('fails', () => Promise.reject(new Error('no'))),
      provider('hangs', () => new Promise(() => undefined)),
      provider('throws', () => {
        throw new TypeError('no');
      }),
      provider('works', async () => [{ type: 'note' }]),
    );
    expect((await run()).attachments).toEqual([
      { type: 'attachments_omitted', provider: 'fails', reason: 'it failed' },
      { type: 'attachments_omitted', provider: 'hangs', reason: 'timeout after 50 ms' },
      { type: 'attachments_omitted', provider: 'throws', reason: 'it failed' },
      { type: 'note' },
    ]);
    const text = await metrics();
    for (const [name, outcome] of [
      ['fails', 'failed'],
      ['hangs', 'late'],
      ['throws', 'failed'],
      ['works', 'given'],
    ]) {
      expect(text).toContain(`verbatim_attachments_total{provider="${name}",outcome="${outcome}"} 1`);
    }
  });

  it('aborts providers when the turn is stopped', async () => {
    const stop = new AbortController();
    const { run } = stage(provider('slow', (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve([{ type: 'late' }])))));
    const gathered = run('prompt', stop.signal);
    stop.abort();
    expect((await gathered).attachments).toEqual([]);
  });

  it('gathers nothing for shell commands and expanded commands', async () => {
    const { run, marks } = stage(provider('a', async () => [{ type: 'note' }]));
    expect((await run('bash')).attachments).toEqual([]);
    expect((await run('prompt', new AbortController().signal, { expanded: [], attachments: [{ type: 'own' }] })).attachments).toEqual([{ type: 'own' }]);
    expect(marks.all()).toEqual([]);
  });
});

describe('standing context', () => {
  const told = { type: 'attachment' as const, uuid: 'a', parentUuid: null, timestamp: '', attachment: { type: 'note', text: 'old' }, standing: 'a' };
  const source = (name: string, read: StandingSource['read'], isRequired = false): StandingSource => ({ name, isRequired, read });
  const missing = (sources: readonly StandingSource[], messages: readonly AttachmentMessage[] = []) => {
    const scene = session();
    for (const message of messages) scene.append({ type: 'message.appended', data: { message, turnId: null } });
    const reads = new AttachmentReads(new PrometheusTelemetry(), { ATTACHMENT_TIMEOUT_MS: 50 });
    return new StandingContext({ all: [], standing: sources }, clock, reads).missing(job, scene.state, aborts);
  };

  it('is what the conversation lacks, marked with its source', async () => {
    const seen: unknown[] = [];
    const asked = source('a', async (_, given) => (seen.push(given), { type: 'note', text: 'new' }));
    expect(await missing([asked, source('b', async () => null)], [told])).toEqual([
      { type: 'attachment', uuid: 'u', timestamp: clock.timestamp(), attachment: { type: 'note', text: 'new' }, standing: 'a' },
    ]);
    await missing([asked], [{ ...told, standing: undefined as never }]);
    expect(seen).toEqual([told.attachment, null]);
  });

  it('is left out when its source fails or is late, which readers are told once a turn, unless the source is required', async () => {
    const fails = () => Promise.reject(new Error('away'));
    const found = await missing([source('a', fails), source('b', () => new Promise(() => undefined)), source('c', async () => ({ type: 'note' }))]);
    expect(found.map(({ attachment, standing }) => [attachment.type, attachment['provider'], standing])).toEqual([
      ['attachments_omitted', 'a', undefined],
      ['attachments_omitted', 'b', undefined],
      ['note', undefined, 'c'],
    ]);
    await expect(missing([source('a', fails, true)])).rejects.toThrow('away');
  });
});
