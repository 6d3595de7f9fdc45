import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer } from '../support/server.js';
import { type CollectedSpan, type Collector, startCollector } from '../telemetry/collector.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

/** The server runs through all of it once; what it has sent is there when it has stopped. */
describe('traces', () => {
  let collector: Collector;
  let folder: string;
  let answered: string | null;
  let promptIds: readonly string[];
  let checkpoints: readonly string[];
  let hookInputs: readonly { readonly workload?: string }[];

  beforeAll(async () => {
    collector = await startCollector();
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-traces-'));
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `cat >> ${folder}/inputs` }] }] };
    await writeFile(path.join(folder, 'hooks.json'), JSON.stringify({ hooks }));
    process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
    const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, HOOKS_FILE: path.join(folder, 'hooks.json') });
    const { client } = server;
    const id = await client.session();
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const first = await client.post(`/v1/sessions/${id}/prompts`, { input: '{{slow 5}}{{long 60}}' }, { traceparent, 'x-workload': 'nightly' });
    const second = await client.post(`/v1/sessions/${id}/prompts`, { input: 'and then' });
    answered = first.headers.get('traceparent');
    checkpoints = (await client.settled(id, first.body.turnId)).checkpoints.map(({ label }: { label: string }) => label);
    await client.settled(id, second.body.turnId);
    await client.get(`/v1/sessions/${id}/turns/none`);
    promptIds = [first.body.promptId, second.body.promptId];
    await server.stop();
    hookInputs = (await readFile(path.join(folder, 'inputs'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as { workload?: string });
  });
  afterAll(async () => {
    delete process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
    await collector.close();
    await rm(folder, { recursive: true, force: true });
  });

  const of = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);
  const one = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect([name, found.length]).toEqual([name, 1]);
    return found[0]!;
  };
  const turnOf = (promptId: string | undefined) => collector.spans.find(({ name, attributes }) => name === 'turn' && attributes['promptId'] === promptId);

  it('lead from the caller through the prompt\'s request and its turn to the model', () => {
    const spans = of(CALLER.traceId);
    const http = one(spans, 'POST /v1/sessions/:id/prompts');
    expect(http).toMatchObject({ parentSpanId: CALLER.spanId, kind: 2, attributes: { 'http.response.status_code': '202', 'http.request.method': 'POST', workload: 'nightly' } });
    expect(one(spans, 'command SubmitPrompt').parentSpanId).toBe(http.spanId);
    const turn = one(spans, 'turn');
    expect(turn).toMatchObject({ parentSpanId: http.spanId, kind: 5, attributes: { promptId: promptIds[0], workload: 'nightly' } });
    expect(one(spans, 'prepare').parentSpanId).toBe(turn.spanId);
    const hooks = spans.filter(({ name, attributes }) => name === 'hooks' && attributes['event'] === 'UserPromptSubmit');
    expect(hooks).toHaveLength(1);
    expect(hooks[0]).toMatchObject({ parentSpanId: one(spans, 'prepare').spanId, attributes: { runs: '1', outcomes: 'success', workload: 'nightly' } });
    expect(one(spans, 'model request')).toMatchObject({ parentSpanId: turn.spanId, kind: 3, attributes: { 'gen_ai.system': 'offline', ordinal: '1', workload: 'nightly', 'gen_ai.response.finish_reasons': 'end_turn' } });
    expect(answered).toBe(`00-${CALLER.traceId}-${http.spanId}-01`);
    expect(collector.services).toEqual(new Set(['verbatim']));
  });

  it('show the checkpoints of a prompt as moments of its preparation', () => {
    expect(one(of(CALLER.traceId), 'prepare').events).toEqual(checkpoints);
    expect(checkpoints).toEqual(expect.arrayContaining(['query_process_user_input_start', 'query_attachment_loading_start', 'query_hooks_end', 'query_process_user_input_end']));
  });

  it('keep a prompt that waited in the trace of its own request', () => {
    const turn = turnOf(promptIds[1]);
    expect(turn?.traceId).not.toBe(CALLER.traceId);
    const spans = of(turn?.traceId ?? '');
    expect(turn?.parentSpanId).toBe(one(spans, 'POST /v1/sessions/:id/prompts').spanId);
    expect(one(spans, 'model request').attributes).not.toHaveProperty('workload');
  });

  it('tell what was refused from what has failed', () => {
    const statuses = collector.spans.filter(({ name }) => name === 'GET /v1/sessions/:id/turns/:turnId').map(({ attributes }) => attributes['http.response.status_code']);
    expect(statuses).toContain('404');
    expect(collector.spans.filter(({ failed }) => failed)).toEqual([]);
  });

  it('are no way for what people write', () => {
    expect(JSON.stringify(collector.spans)).not.toContain('and then');
  });

  it('take the workload tag along, to the hooks too', () => {
    expect(hookInputs.map(({ workload }) => workload)).toEqual(['nightly', undefined]);
  });
});
