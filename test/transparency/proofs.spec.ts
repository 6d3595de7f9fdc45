import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { leafData } from '../../packages/proofs/leaf.js';
import type { Client, UnknownObject } from '../support/client.js';
import { GO, verifyInGo } from '../support/go.js';
import { itWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

let server: TestServer;
let client: Client;
let owner: Connection;
let folder: string;

beforeAll(async () => {
  server = await startTestServer({ TLOG_INTERVAL_MS: '10', TLOG_ORIGIN: 'log.example.com' });
  client = server.client;
  owner = await connect(server.database.ownerUrl, 60_000);
  folder = await mkdtemp(path.join(tmpdir(), 'verbatim-proofs-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await owner.end();
  await server.stop();
});

async function session(): Promise<string> {
  const id = await client.session({ title: 'a title' });
  await client.ask(id, 'hello');
  return id;
}

/** The audit once every event of the session is in the transparency log. */
async function audit(id: string, of = client): Promise<UnknownObject> {
  let answer: UnknownObject = {};
  await until('every event is in the transparency log', async () => {
    answer = (await of.get(`/v1/sessions/${id}/audit?proof=true`)).body;
    return answer.transparencyLog?.events === answer.events;
  });
  return answer;
}

const text = async (route: string): Promise<string> => (await fetch(`${server.running.url}${route}`)).text();

const file = async (name: string, content: string): Promise<string> => {
  await writeFile(path.join(folder, name), content);
  return path.join(folder, name);
};

const leafOf = ({ sessionId, seq, hash }: UnknownObject): string => Buffer.from(leafData({ sessionId, seq, hash: Buffer.from(hash, 'hex') })).toString('hex');

describe('the proof in an audit', () => {
  it('names the newest event, its leaf, and the checkpoint, which the routes of the log have too', async () => {
    const id = await session();
    const { events, headHash, valid, proof, transparencyLog } = await audit(id);
    expect({ valid, logged: transparencyLog.events, seq: proof.seq, hash: proof.hash, id: proof.sessionId }).toEqual({
      valid: true,
      logged: events,
      seq: events,
      hash: headHash,
      id,
    });
    expect(transparencyLog).toMatchObject({ matches: true, checkpoint: { size: readCheckpoint(proof.checkpoint)!.size } });
    expect(`${proof.key}\n`).toBe(await text('/v1/log/key'));
    expect(proof.key).toMatch(/^log\.example\.com\+/);
    expect(await text('/v1/log/checkpoint')).toMatch(/^log\.example\.com\n\d+\n/);
  });

  it('is left out without proof=true, and rejects any other query', async () => {
    const id = await session();
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).not.toHaveProperty('proof');
    expect((await client.get(`/v1/sessions/${id}/audit?proof=maybe`)).body).toMatchObject({ status: 400, code: 'invalid_input' });
  });
});

describe('a Go program with the packages of the Go checksum database', () => {
  itWith(GO)('verifies the checkpoint, the inclusion proof of an audit, and nothing that was changed', async () => {
    const { proof } = await audit(await session());
    const checkpoint = await file('checkpoint', proof.checkpoint);
    const hashes = await file('hashes', proof.hashes.map((hash: string) => `${hash}\n`).join(''));
    const verify = (leaf: string, index: number, note = checkpoint, key = proof.key) => verifyInGo(folder, key, note, leaf, String(index), hashes);
    expect(await verify(leafOf(proof), proof.leafIndex)).toMatch(/^verified /);
    await expect(verify(leafOf({ ...proof, seq: proof.seq + 1 }), proof.leafIndex)).rejects.toThrow();
    await expect(verify(leafOf(proof), proof.leafIndex - 1)).rejects.toThrow();
    const forged = await file(
      'forged',
      proof.checkpoint.replace(/\n(\d+)\n/, (_: string, size: string) => `\n${Number(size) + 1}\n`),
    );
    await expect(verify(leafOf(proof), proof.leafIndex, forged)).rejects.toThrow();
  });

  itWith(GO)('verifies that a checkpoint continues an earlier one', async () => {
    const earlier = (await audit(await session())).proof;
    const later = (await audit(await session())).proof;
    const [from, to] = [earlier, later].map(({ checkpoint }) => readCheckpoint(checkpoint)!.size);
    const { hashes } = (await client.get(`/v1/log/consistency?from=${from}&to=${to}`)).body;
    const proof = await file('consistency', hashes.map((hash: string) => `${hash}\n`).join(''));
    const files = [await file('later', later.checkpoint), await file('earlier', earlier.checkpoint)] as const;
    expect(await verifyInGo(folder, later.key, ...files, proof)).toMatch(/^verified /);
    await expect(verifyInGo(folder, later.key, files[0], files[1], await file('short', hashes.slice(1).join('\n')))).rejects.toThrow();
  });

  itWith(GO)('proves an event from the tiles that it reads itself, full ones and others', async () => {
    const many = await client.session();
    const lines = Array.from({ length: 300 }, (_, index) =>
      JSON.stringify({ type: 'user', uuid: crypto.randomUUID(), parentUuid: null, content: `line ${index}` }),
    );
    await client.call('POST', '/v1/imports', lines.join('\n'), { 'content-type': 'application/x-ndjson' });
    for (let round = 0; round < 20; round += 1) await client.ask(many, 'hello');
    const { proof } = await audit(many);
    expect(readCheckpoint(proof.checkpoint)!.size).toBeGreaterThan(256);
    const checkpoint = await file('tiles', proof.checkpoint);
    expect(await verifyInGo(folder, proof.key, checkpoint, 'tiles', `${server.running.url}/v1/log/tile/`, String(proof.leafIndex), leafOf(proof))).toMatch(
      /^verified /,
    );
  });
});

describe('the routes of the transparency log', () => {
  it('have no tile outside the tree, and none with another path', async () => {
    await audit(await session());
    for (const tile of ['0/999', '0/000.p/0', '0/000.p/256', '9/000', '0/0', 'entries/000', '0', '0/x000/001', '0/%2e%2e/000', '-1/000']) {
      expect([tile, (await client.get(`/v1/log/tile/${tile}`)).status]).toEqual([tile, 404]);
    }
    const first = await client.get('/v1/log/tile/0/000.p/1');
    expect([first.status, first.headers.get('cache-control'), first.headers.get('content-type')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'application/octet-stream',
    ]);
  });

  it('prove no consistency with a tree that does not exist', async () => {
    for (const query of ['', '?from=0', '?from=2&to=1', '?from=1&to=99999999', '?from=99999999', '?from=x']) {
      expect([query, (await client.get(`/v1/log/consistency${query}`)).body]).toMatchObject([query, { status: 400, code: 'invalid_input' }]);
    }
  });

  it('contain no id of a session or tenant', async () => {
    const id = await session();
    await audit(id);
    const tile = Buffer.from(await (await fetch(`${server.running.url}/v1/log/tile/0/000.p/1`)).arrayBuffer());
    const all = `${await text('/v1/log/checkpoint')}${await text('/v1/log/key')}${tile.toString('hex')}`;
    expect(all).not.toContain(id);
    expect(all).not.toContain(id.replaceAll('-', ''));
  });
});
