import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { until } from '../support/until.js';
import { startTestServer, type TestServer } from '../support/server.js';

const OPERATOR_TOKEN = 'an operator token of 32 characters';

/** Listens, and has nothing to say. */
const HOOK = `process.stdin.on('data', () => undefined).on('end', () => process.exit(0));`;

describe('metrics of a prompt', () => {
  let server: TestServer;
  let client: Client;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-figures-'));
    await chmod(directory, 0o755); // the accounts of sessions run the hook
    await mkdir(path.join(directory, 'skills/greet'), { recursive: true });
    await writeFile(path.join(directory, 'skills/greet/SKILL.md'), '---\ndescription: Greets\n---\n{{say hello}}');
    await writeFile(path.join(directory, 'hook.cjs'), HOOK);
    const command = `"${process.execPath}" "${path.join(directory, 'hook.cjs')}"`;
    const hooks = path.join(directory, 'hooks.json');
    await writeFile(hooks, JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] } }));
    server = await startTestServer({ HOOKS_FILE: hooks, SKILLS_DIR: path.join(directory, 'skills'), DATA_DIR: directory, TOOLS: 'Bash', OPERATOR_TOKEN });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const figure = async (name: string): Promise<string | undefined> =>
    expectStatus(await client.as(OPERATOR_TOKEN).get<string>('/metrics'), 200)
      .body.split('\n')
      .find((line) => line.startsWith(`verbatim_${name} `))
      ?.split(' ')[1];

  /** A scrape does not wait long for the database: what is read there can be missing from one of them. */
  const becomes = (name: string, value: RegExp): Promise<void> => until(`${name} is ${value}`, async () => value.test((await figure(name)) ?? ''));

  const labels = ({ checkpoints }: UnknownObject): readonly string[] => checkpoints.map(({ label }: UnknownObject) => label.replace('query_', ''));

  const FRAME = ['process_user_input_start', 'process_user_input_base_start'];
  const END = ['process_user_input_base_end', 'file_history_snapshot_start', 'file_history_snapshot_end', 'process_user_input_end'];
  const ATTACHMENTS = ['attachment_loading_start', 'attachment_loading_end'];
  const HOOKS = ['hooks_start', 'hooks_end'];

  it('have no series of nodes on one Postgres, whose probe says nothing of them either', async () => {
    await becomes('outbox_jobs', /^\d+$/); // read at a scrape, as those of nodes would be
    expect(expectStatus(await client.as(OPERATOR_TOKEN).get<string>('/metrics'), 200).body).not.toContain('verbatim_node_');
    expect(expectStatus(await client.get('/health/ready'), 200).body.checks).not.toHaveProperty('nodes');
  });

  it('records a checkpoint for each stage, in order', async () => {
    const id = await client.session();
    const plain = await client.ask(id, '{{say hi}}');
    expect(labels(plain)).toEqual([...FRAME, ...ATTACHMENTS, ...HOOKS, ...END]);
    const times = plain.checkpoints.map(({ at }: UnknownObject) => at);
    expect(times).toEqual(times.toSorted((one: number, other: number) => one - other));
    expect(labels(await client.ask(id, '/greet'))).toEqual([...FRAME, ...ATTACHMENTS, ...HOOKS, ...END]);
    const bash = await client.ask(id, 'echo hi', { mode: 'bash' });
    expect(labels(bash).filter((label) => !HOOKS.includes(label))).toEqual([...FRAME, ...END]);
    expect(await figure('tool_calls_total{tool="Bash",outcome="ok"}')).toBe('1');
    // No attachments and no decisions; hooks may have run for the start of the session.
    expect(labels(await client.ask(id, '/cost')).filter((label) => !HOOKS.includes(label))).toEqual([...FRAME, ...END]);
  });

  it('records and times the stages that fit its images', async () => {
    const id = await client.session();
    const data = (
      await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const pastedContents = { 1: { type: 'image', content: data, mediaType: 'image/png' } };
    const marks = labels(await client.ask(id, [{ type: 'text', text: 'see [Image #1]' }, image], { pastedContents }));
    const fitting = marks.filter((label) => label.includes('image'));
    expect([...fitting].sort()).toEqual(['image_processing_end', 'image_processing_start', 'pasted_image_processing_end', 'pasted_image_processing_start']);
    expect(marks.filter((label) => !fitting.includes(label))).toEqual([...FRAME, ...ATTACHMENTS, ...HOOKS, ...END]);
    for (const stage of ['image_processing', 'pasted_image_processing']) {
      expect(fitting.indexOf(`${stage}_start`)).toBeLessThan(fitting.indexOf(`${stage}_end`));
      expect(await figure(`prompt_stage_seconds_count{stage="${stage}"}`)).toBe('1');
    }
  });

  it('passes its workload to the hooks but not into the payload', async () => {
    const id = await client.session();
    const { body } = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: '{{say hi}}' }, { 'x-workload': 'nightly-batch' }), 202);
    const turn = await client.settled(id, body.turnId);
    const run = (await client.events(id)).find(({ type }) => type === 'hook.completed');
    expect(run.data.input).toMatchObject({ workload: 'nightly-batch' });
    const { payload } = expectStatus(await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`), 200).body;
    expect(JSON.stringify(payload)).not.toContain('nightly-batch');
  });

  it('measure its wait, its queue and its stages', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    await stream.untilType('synced');
    const before = {
      yes: Number((await figure('first_delta_seconds_count{queued="yes"}')) ?? 0),
      no: Number((await figure('first_delta_seconds_count{queued="no"}')) ?? 0),
    };
    const first = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    await stream.untilType('message.delta');
    const second = (await client.prompt(id, '{{say later}}')).body;
    expect(second.disposition).toBe('queued');
    await becomes('prompts_waiting', /^1$/);
    expect(await figure('turns_running')).toBe('1');
    expectStatus(await client.post(`/v1/sessions/${id}/interrupt`), 200);
    await client.settled(id, first.turnId);
    await client.settled(id, second.turnId);
    stream.close();
    await becomes('prompts_waiting', /^0$/);
    await becomes('outbox_jobs', /^\d+$/);
    await becomes('outbox_oldest_seconds', /^[\d.]+$/);
    expect(Number(await figure('first_delta_seconds_count{queued="no"}'))).toBe(before.no + 1);
    expect(Number(await figure('first_delta_seconds_count{queued="yes"}'))).toBe(before.yes + 1);
    expect(Number(await figure('payloads_total{made="sent"}'))).toBeGreaterThanOrEqual(1);
    expect(Number(await figure('prompt_wait_seconds_count'))).toBeGreaterThanOrEqual(2);
    for (const stage of ['process_user_input', 'attachment_loading', 'hooks', 'file_history_snapshot']) {
      expect(Number(await figure(`prompt_stage_seconds_count{stage="${stage}"}`))).toBeGreaterThanOrEqual(2);
    }
    expect(Number(await figure('hook_seconds_count{event="UserPromptSubmit",outcome="success"}'))).toBeGreaterThanOrEqual(2);
  });
});
