import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { type CollectedSpan, startCollector, type TraceCollector } from '../support/trace-collector.js';

/** Leaves what it reads in a file, and says nothing. */
const HOOK = `const fs = require('node:fs'); fs.appendFileSync(process.argv[2], fs.readFileSync(0, 'utf8') + '\\n');`;

const traced = (): { traceId: string; parent: string; header: Record<string, string> } => {
  const [traceId, parent] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, parent, header: { traceparent: `00-${traceId}-${parent}-01` } };
};

describe('traces', () => {
  let database: TestDatabase;
  let collector: TraceCollector;
  let directory: string;
  let token: string;
  const running: ServerProcess[] = [];

  const start = async (environment: Readonly<Record<string, string>>): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'debug', ...environment });
    running.push(server);
    return server;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'traced');
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-tracing-'));
    await writeFile(path.join(directory, 'hook.cjs'), HOOK);
    const command = `"${process.execPath}" "${path.join(directory, 'hook.cjs')}" "${path.join(directory, 'heard')}"`;
    await writeFile(path.join(directory, 'hooks.json'), JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } }));
  });
  afterAll(async () => {
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
    await collector.close();
  });

  const submit = async (client: Client, id: string, input: string, headers: Readonly<Record<string, string>>): Promise<UnknownObject> =>
    expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input }, headers), 202);

  /** The turn's span is the last to end of all that it holds. */
  const turnSpan = (turnId: string): Promise<CollectedSpan> => collector.span(({ name, attributes }) => name === 'turn' && attributes['turnId'] === turnId);

  const childOf = (parent: CollectedSpan, name: string): CollectedSpan => {
    const found = collector.spans.find((span) => span.name === name && span.parentSpanId === parent.spanId && span.traceId === parent.traceId);
    if (!found) throw new Error(`${parent.name} has no ${name}, only ${collector.spans.map((span) => `${span.name}<${span.parentSpanId}`).join(', ')}`);
    return found;
  };

  it('connect a request through the queue to the model across two processes, with checkpoints and workload', async () => {
    const environment = { ...collector.environment, HOOKS_FILE: path.join(directory, 'hooks.json'), OTEL_SERVICE_NAME: 'chat' };
    const [api] = await Promise.all([start({ ...environment, ROLE: 'api' }), start({ ...environment, ROLE: 'worker' })]);
    const client = api.client(token);
    const id = await client.session({ model: 'claude-sonnet-4-5' });
    const { traceId, parent, header } = traced();
    const { headers, body } = await submit(client, id, '{{say hello}}', { ...header, 'x-workload': 'nightly' });
    const turn = await client.settled(id, body.turnId);
    const span = await turnSpan(body.turnId);

    const request = await collector.span(({ name }) => name === 'POST /v1/sessions/:id/prompts');
    expect(request).toMatchObject({ traceId, parentSpanId: parent, kind: 2, failed: false });
    expect(request.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 202, workload: 'nightly' });
    expect(request.resource).toMatchObject({ 'service.name': 'chat', 'verbatim.role': 'api' });
    expect(headers.get('traceresponse')).toBe(`00-${traceId}-${request.spanId}-01`);
    expect(childOf(request, 'SubmitPrompt').attributes).toMatchObject({ sessionId: id, workload: 'nightly', replayed: false });

    expect(span).toMatchObject({ traceId, parentSpanId: request.spanId, kind: 5, failed: false });
    expect(span.resource).toMatchObject({ 'service.name': 'chat', 'verbatim.role': 'worker' });
    const { tenantId } = childOf(request, 'SubmitPrompt').attributes;
    expect(span.attributes).toMatchObject({ promptId: body.promptId, turnId: body.turnId, sessionId: id, tenantId, workload: 'nightly' });

    const prepare = childOf(span, 'prepare');
    const marks = prepare.events.map(({ name, at }) => ({ label: name, at }));
    expect(marks).toEqual(turn.checkpoints);
    expect(marks.map(({ label }) => label)).toEqual([
      'query_process_user_input_start',
      'query_process_user_input_base_start',
      'query_attachment_loading_start',
      'query_attachment_loading_end',
      'query_hooks_start',
      'query_hooks_end',
      'query_process_user_input_base_end',
      'query_file_history_snapshot_start',
      'query_file_history_snapshot_end',
      'query_process_user_input_end',
    ]);
    expect(childOf(prepare, 'hooks UserPromptSubmit').attributes).toMatchObject({ 'hook.outcomes': ['success'], workload: 'nightly' });

    const [made] = turn.requests;
    const call = childOf(span, 'chat claude-sonnet-4-5');
    expect(call).toMatchObject({ kind: 3, failed: false, events: [expect.objectContaining({ name: 'first_delta' })] });
    expect(call.attributes).toMatchObject({
      requestId: made.requestId,
      providerRequestId: made.providerRequestId,
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.response.finish_reasons': ['end_turn'],
      'gen_ai.usage.input_tokens': made.usage.input_tokens,
      'gen_ai.usage.output_tokens': made.usage.output_tokens,
      'http.response.status_code': 200,
      workload: 'nightly',
    });
    for (const name of ['PrepareTurn', 'SendRequest', 'RecordAnswer']) {
      expect(collector.spans.find((other) => other.name === name && other.traceId === traceId)?.attributes).toMatchObject({ workload: 'nightly' });
    }

    // The log lines of both processes belong to it, too; and the probes of machines make no traces.
    await api.said(new RegExp(`"workload":"nightly".*"traceId":"${traceId}","spanId":"${request.spanId}".*"msg":"request"`));
    await Promise.all([client.get('/health/ready'), client.get('/metrics')]);
    await api.stop();
    expect(collector.spans.filter(({ name }) => /health|metrics/.test(name))).toEqual([]);
    // The text of a prompt does not belong into a trace.
    expect(JSON.stringify(collector.spans)).not.toContain('{{say');
  });

  it('of a queued prompt belong to its own request, not to the previous turn', async () => {
    const server = await start(collector.environment);
    const client = server.client(token);
    const id = await client.session();
    const stream = await client.stream(id);
    await stream.untilType('synced');
    const [one, other] = [traced(), traced()];
    const first = (await submit(client, id, '{{slow 100}}{{long 5000}}', { ...one.header, 'x-workload': 'chat' })).body;
    await stream.untilType('message.delta');
    const second = (await submit(client, id, '{{say later}}', { ...other.header, 'x-workload': 'batch' })).body;
    expect(second.disposition).toBe('queued');
    expectStatus(await client.post(`/v1/sessions/${id}/interrupt`), 200);
    await client.settled(id, second.turnId);
    expect(await turnSpan(first.turnId)).toMatchObject({ traceId: one.traceId, attributes: { workload: 'chat' } });
    const late = await turnSpan(second.turnId);
    expect(late).toMatchObject({ traceId: other.traceId, attributes: { workload: 'batch', promptId: second.promptId } });
    expect(collector.spans.find(({ name, traceId }) => name.startsWith('chat ') && traceId === other.traceId)?.attributes).toMatchObject({ workload: 'batch' });
    await stream.close();
  });

  it('contain the tool calls between their model requests', async () => {
    const skills = path.join(directory, 'skills/greet');
    await mkdir(skills, { recursive: true });
    await writeFile(path.join(skills, 'SKILL.md'), '---\ndescription: Greets\n---\nhello');
    const server = await start({ ...collector.environment, SKILLS_DIR: path.dirname(skills) });
    const client = server.client(token);
    const id = await client.session({ model: 'claude-sonnet-4-5' });
    const { turnId } = (await submit(client, id, '{{tool Skill {"skill":"greet"}}}', { ...traced().header, 'x-workload': 'nightly' })).body;
    const { requests } = await client.settled(id, turnId);
    const span = await turnSpan(turnId);
    const call = childOf(span, 'execute_tool Skill');
    expect(call).toMatchObject({ failed: false, attributes: { 'gen_ai.tool.name': 'Skill', 'tool.outcome': 'ok', turnId, workload: 'nightly' } });
    const asked = collector.spans.filter(({ name, parentSpanId }) => name.startsWith('chat ') && parentSpanId === span.spanId);
    expect(asked.map(({ attributes }) => attributes['requestId'])).toEqual(requests.map(({ requestId }: UnknownObject) => requestId));
    expect(asked.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([['tool_use'], ['end_turn']]);
    // A compaction is a turn like any other.
    for (const word of ['one', 'two', 'three']) await client.ask(id, word);
    const compaction = traced();
    const asking = await client.post(`/v1/sessions/${id}/compactions`, {}, { ...compaction.header, 'x-workload': 'tidy' });
    const compacting = expectStatus(asking, 202).body.turnId;
    await client.settled(id, compacting);
    expect(await turnSpan(compacting)).toMatchObject({ traceId: compaction.traceId, attributes: { workload: 'tidy' } });
    const { body: figures } = expectStatus(await client.get<string>('/metrics'), 200);
    expect(figures).toContain('verbatim_tool_calls_total{tool="Skill",outcome="ok"} 1');
    expect(figures).toContain('verbatim_compactions_total{trigger="manual"} 1');
  });

  it('record errors', async () => {
    const server = await start({ ...collector.environment, MODEL_ATTEMPTS: '1' });
    const client = server.client(token);
    const id = await client.session({ model: 'claude-sonnet-4-5' });
    const { traceId, header } = traced();
    const { turnId } = (await submit(client, id, '{{fail 503}}', header)).body;
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'failed' });
    const call = await collector.span((span) => span.traceId === traceId && span.name === 'chat claude-sonnet-4-5');
    expect(call).toMatchObject({
      failed: true,
      attributes: { 'http.response.status_code': 503, 'error.type': 'api_error', providerRequestId: expect.any(String) },
    });
    const rejected = traced();
    expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: '  ' }, rejected.header), 422);
    const answer = await collector.span((span) => span.traceId === rejected.traceId && span.kind === 2);
    expect(answer).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 422 } });
    // Whatever stands in the header, the request is answered, in its own trace.
    const { headers } = expectStatus(await client.get('/v1/sessions', { traceparent: '00-nonsense' }), 200);
    expect(headers.get('traceresponse')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('are off without a collector: no connection, no log line, no header', async () => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...others } = collector.environment;
    const server = await start(others);
    const client = server.client(token);
    const id = await client.session();
    const { headers, body } = await submit(client, id, '{{say hi}}', traced().header);
    expect(headers.get('traceresponse')).toBeNull();
    expect(await client.settled(id, body.turnId)).toMatchObject({ status: 'completed' });
    const submitted = (await client.events(id)).find(({ type }) => type === 'prompt.submitted');
    expect(submitted.data.submission).not.toHaveProperty('traceparent');
    await server.stop();
    expect(collector.connections()).toBe(0);
    expect(server.printed()).not.toMatch(/trac(e|ing)/i);
  });

  it('do no harm when the collector is down: turns run, the process stops in time, the log reports it once', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const server = await start({ ...collector.environment, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    const client = server.client(token);
    const id = await client.session();
    for (let count = 1; count <= 5; count += 1) {
      const { turnId } = (await submit(client, id, `{{say ${count}}}`, {})).body;
      expect(await client.settled(id, turnId)).toMatchObject({ status: 'completed' });
    }
    await server.said(/Spans cannot be sent and are dropped/);
    await server.stop();
    expect(server.printed().match(/Spans cannot be sent and are dropped/g)).toHaveLength(1);
  });
});
