import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { verifyLog } from '../../packages/proofs/verification/verify-log.js';
import type { Client } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** A file is changed by an owner of a copy, and neither the key of the log nor the database: hashes that no signature covers can be computed by anybody. */
let server: TestServer;
let client: Client;
let key: string;

beforeAll(async () => {
  server = await startTestServer({ TLOG_INTERVAL_MS: '10', TLOG_ORIGIN: 'log.example.com', EXPORT_PROOF_WAIT_MS: '20000' });
  client = server.client;
});
afterAll(() => server.stop());

type Line = Record<string, unknown>;

async function exported(id: string, query = ''): Promise<readonly Line[]> {
  const text = String((await client.get(`/v1/sessions/${id}/export?format=log${query}`)).body).trimEnd();
  key = (await client.get('/v1/log/key')).body.trim();
  return text.split('\n').map((line) => JSON.parse(line) as Line);
}

async function verdict(lines: readonly Line[]): Promise<string> {
  const { isProven, text } = await verifyLog(
    lines.map((line) => JSON.stringify(line)),
    key,
    new NodeCryptography(),
  );
  return `${isProven ? 'proven' : 'not proven'}: ${text}`;
}

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest();
const uuid = (text: unknown): Buffer => Buffer.from(String(text).replaceAll('-', ''), 'hex');

/** The event after these in a chain that is whole. */
function next(head: Line, before: Line, eventType: string, data: object): Line {
  const [event, salt, text] = [
    { ...before, seq: Number(before['seq']) + 1, eventId: randomUUID(), commandId: randomUUID(), eventType },
    randomBytes(16),
    JSON.stringify(data),
  ];
  const digest = sha256(salt, text);
  const numbers = Buffer.alloc(20);
  numbers.writeBigInt64BE(BigInt(event.seq), 0);
  numbers.writeInt32BE(Number(before['schemaVersion']), 8);
  numbers.writeBigInt64BE(BigInt(String(before['recordedMicroseconds'])), 12);
  const session = uuid(head['sessionId']);
  const link = [
    Buffer.from(String(before['hash']), 'hex'),
    session,
    numbers.subarray(0, 8),
    uuid(head['tenantId']),
    uuid(event.eventId),
    uuid(event.commandId),
  ];
  const hash = sha256(...link, numbers.subarray(8), digest, sha256(String(before['actor'])), eventType);
  return { ...event, data: text, salt: salt.toString('hex'), digest: digest.toString('hex'), hash: hash.toString('hex') };
}

/** With an event that says that the event at `seq` was erased, and left `data`. */
function withErasure(lines: readonly Line[], seq: number, data: object): readonly Line[] {
  const [head, proof] = [lines[0]!, lines.at(-1)!];
  const events = lines.slice(1, -1).map((line) => (line['seq'] === seq ? { ...line, data: JSON.stringify(data), salt: null } : line));
  const erasure = next(head, events.at(-1)!, 'content.erased', {
    ...{ erasureId: randomUUID(), scope: 'message', messages: [], reason: null, events: [{ seq, data }] },
    ...{ bytes: 1, blobs: 0, isComplete: true },
  });
  return [{ ...head, events: events.length + 1 }, ...events, erasure, proof];
}

describe('a file that was changed without a key', () => {
  it('is not proven by its own erasure, whatever that leaves', async () => {
    const id = await client.session();
    await client.ask(id, 'the true text');
    const lines = await exported(id);
    expect(await verdict(lines)).toMatch(/^proven: (\d+) of \1 events/);
    const event = lines.find(({ eventType, data }) => eventType === 'message.appended' && String(data).includes('the true text'))!;
    const seq = Number(event['seq']);
    const { message, ...rest } = JSON.parse(String(event['data'])) as { message: Line };
    expect(await verdict(withErasure(lines, seq, { message: { ...message, content: 'the forged text' }, ...rest }))).toMatch(
      new RegExp(`^not proven: Line ${lines.length + 1}: event ${seq} holds something that no erasure leaves`),
    );
    const { type, uuid: id2, parentUuid, timestamp } = message;
    const skeleton = { message: { type, uuid: id2, parentUuid, timestamp, erased: true, content: '[Erased]', permissionMode: 'default' }, ...rest };
    expect(await verdict(withErasure(lines, seq, skeleton))).toContain(
      `event ${seq} has no content, and event ${lines.length - 1}, which says that it was erased, is not covered by the proof.`,
    );
  });

  it('is not proven by an old proof for new events', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    const lines = await exported(id);
    const [head, last] = [lines[0]!, lines.at(-2)!];
    const more = next(head, last, 'session.titled', { title: 'a forged title', model: '', usage: {} });
    const forged = [{ ...head, events: lines.length - 1 }, ...lines.slice(1, -1), more, lines.at(-1)!];
    expect(await verdict(forged)).toMatch(/^not proven: (\d+) of \d+ events are unchanged .* Nothing proves the last 1 yet/);
  });

  it('is not proven when events of the parent were made to look erased; it is after an erasure in the parent', async () => {
    const parent = await client.session();
    await client.ask(parent, 'a shared secret');
    const { id: fork } = (await client.post(`/v1/sessions/${parent}/forks`)).body;
    await client.ask(fork, 'and now?');
    const lines = await exported(fork);
    expect(await verdict(lines)).toMatch(/^proven: .* The shared history of 1 parent is unchanged\. 1 requests are as they were sent\.$/);
    const at = lines.findLastIndex(({ eventType }) => eventType === 'turn.completed');
    const { turnId, stopReason } = JSON.parse(String(lines[at]!['data'])) as Line;
    const forged = lines.with(at, { ...lines[at]!, data: JSON.stringify({ turnId, stopReason }), salt: null });
    expect(await verdict(forged)).toContain(`event ${String(lines[at]!['seq'])} of the parent has no content, and no event says that it was erased.`);

    await client.ask(parent, 'later, in the parent alone');
    const messages = (await client.get(`/v1/sessions/${parent}/messages`)).body.data as { uuid: string }[];
    const erased = await client.call('DELETE', `/v1/sessions/${parent}/messages/${messages[0]!.uuid}?includeForks=true`, undefined, {});
    expect(erased.status).toBe(202);
    const after = await exported(fork);
    expect(JSON.stringify(after)).toContain('[Erased]');
    expect(JSON.stringify(after)).not.toContain('in the parent alone');
    expect(await verdict(after)).toMatch(
      /^proven: .* The shared history of 1 parent is unchanged\. The content of \d+ events of it was erased\. Nothing proves what \d requests were: their content was erased\.$/,
    );
    const goesOn = after.findIndex(({ type }) => type === 'erasures');
    const end = after.findIndex(({ type }, index) => index > goesOn && type === 'proof');
    expect(await verdict([...after.slice(0, goesOn), ...after.slice(end + 1)])).toMatch(/of the parent has no content, and no event says that it was erased/);
    const unproven = after.with(end, { type: 'proof', proof: null });
    expect(await verdict(unproven)).toMatch(/^not proven/);
  });

  it('says what it does not prove', async () => {
    const id = await client.session();
    await client.ask(id, 'a secret');
    const messages = (await client.get(`/v1/sessions/${id}/messages`)).body.data as { uuid: string }[];
    await client.call('DELETE', `/v1/sessions/${id}/messages/${messages[0]!.uuid}`, undefined, {});
    let lines: readonly Line[] = [];
    await until('the erasure is complete', async () => {
      lines = await exported(id);
      return lines.some(({ eventType }) => eventType === 'content.erased');
    });
    expect(await verdict(lines)).toMatch(/^proven: .* Nothing proves what 1 requests were: their content was erased\.$/);
    const unknown = [...lines.slice(0, -1), { type: 'note', text: 'by somebody' }, lines.at(-1)!];
    expect(await verdict(unknown)).toContain(`Line ${lines.length}: The last line must be the proof: the line is of another kind.`);
  });
});
