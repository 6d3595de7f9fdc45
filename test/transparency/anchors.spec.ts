import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readTimeStamp, timeStampRequest } from '../../src/features/proofs/anchors/rfc3161.js';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { cosignatureIn, readWitnessKey, witnessKey } from '../../packages/proofs/cosignature.js';
import { openNote, readVerifierKey } from '../../packages/proofs/note.js';
import type { Client, UnknownObject } from '../support/client.js';
import { describeWith, OPENSSL } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WitnessServer } from '../support/witness-server.js';

const run = promisify(execFile);
const { sha256, verify } = new NodeCryptography();

const AUTHORITY = `
[tsa]
default_tsa = one
[one]
dir = .
serial = $dir/serial
signer_cert = $dir/cert.pem
signer_key = $dir/key.pem
certs = $dir/cert.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
`;

/** Checkpoints at a witness and at a time stamp authority (openssl), both over HTTP. */
describeWith(OPENSSL)('anchors outside', () => {
  let folder: string;
  let authority: Server;
  /** The answer of the authority that is being made; one at a time, for they share their files. */
  let answered: Promise<unknown> = Promise.resolve();
  let witness: WitnessServer;
  let server: TestServer;
  let client: Client;

  const openssl = (...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> => run('openssl', [...args], { cwd: folder });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-tsa-'));
    await writeFile(path.join(folder, 'tsa.cnf'), AUTHORITY);
    await writeFile(path.join(folder, 'serial'), '01\n');
    const extension = ['-addext', 'extendedKeyUsage=critical,timeStamping'];
    await openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=tsa',
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
      ...extension,
    );
    authority = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        await writeFile(path.join(folder, 'query'), await buffer(request));
        await openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', '-out', 'reply');
        const { stdout } = await run('cat', [path.join(folder, 'reply')], { encoding: 'buffer' });
        response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(stdout);
      };
      answered = answered.then(answer).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => authority.listen(0, '127.0.0.1', resolve));
    witness = await WitnessServer.start();
    server = await startTestServer({
      ...{ TLOG_INTERVAL_MS: '100', ANCHOR_INTERVAL_MS: '100', WEBHOOK_ALLOW_PRIVATE: 'true' },
      ...{ WITNESSES: witness.setting, TSA_URL: `http://127.0.0.1:${(authority.address() as AddressInfo).port}/tsa`, TSA_INTERVAL_MS: '1' },
    });
    client = server.client;
  });
  afterAll(async () => {
    await server?.stop();
    await witness?.stop();
    authority?.closeAllConnections();
    await new Promise((resolve) => authority?.close(resolve));
    await answered;
    await rm(folder, { recursive: true, force: true });
  });

  const key = async (): Promise<string> => String((await client.get('/v1/log/key')).body).trim();

  /** The newest anchor of a kind, over at least `size` leaves, and as it is meant. */
  async function anchor(kind: string, size: number, isMeant: (one: UnknownObject) => boolean = () => true): Promise<UnknownObject> {
    let found: UnknownObject;
    await until(`there is an anchor by ${kind}`, async () => {
      const { data } = (await client.get('/v1/log/anchors')).body;
      found = data.find((one: UnknownObject) => one.kind === kind && one.size >= size);
      return found !== undefined && isMeant(found);
    });
    return found;
  }

  it('a witness cosigns checkpoints, is retried when it knows another size, and its cosignature verifies', async () => {
    await client.session({ title: 'first' });
    await until('the witness was asked', async () => witness.answers.includes(404)); // it does not know the log
    witness.log = await key();
    const first = await anchor('witness', 1);
    await client.ask(await client.session(), 'hello');
    // The last one: the witness signs several while the turn is recorded, and each is stored after that.
    const { checkpoint } = await anchor('witness', first.size + 1, ({ size }) => size === witness.signed.size);
    const logKey = readVerifierKey(sha256, await key())!;
    const text = openNote(sha256, checkpoint, logKey, verify)!;
    expect(text).not.toBeNull();
    expect(cosignatureIn(sha256, checkpoint, text, witness.key, verify)).toMatchObject({ time: 1_800_000_000 });
    expect(cosignatureIn(sha256, checkpoint, text.replace(/\n\d+\n/, '\n1\n'), witness.key, verify)).toBeNull();
    // A checkpoint that does not continue what the witness has signed gets no cosignature.
    witness.signed = { size: 1, root: new Uint8Array(32) };
    const before = witness.answers.length;
    await client.ask(await client.session(), 'more');
    await until('the witness has refused', async () => witness.answers.slice(before).includes(422));
    expect(witness.answers.slice(before)).not.toContain(200);
    expect(witness.answers).toContain(409);
  });

  it('a time stamp of the newest checkpoint is kept, and openssl verifies it', async () => {
    const { checkpoint, token } = await anchor('timestamp', 1);
    await writeFile(path.join(folder, 'checkpoint'), checkpoint);
    await writeFile(path.join(folder, 'token'), Buffer.from(token, 'base64'));
    const check = ['ts', '-verify', '-data', 'checkpoint', '-in', 'token', '-token_in', '-CAfile', 'cert.pem'];
    expect((await openssl(...check)).stdout + (await openssl(...check)).stderr).toContain('Verification: OK');
    await writeFile(path.join(folder, 'checkpoint'), `${checkpoint} `);
    await expect(openssl(...check)).rejects.toThrow(/message imprint mismatch/);
  });

  it('a time stamp of another request or of other content is not accepted', async () => {
    const request = timeStampRequest(sha256(new TextEncoder().encode('one')));
    // Files of its own: the authority of the server writes the others at the same time.
    await writeFile(path.join(folder, 'own.cnf'), AUTHORITY.replace(/^serial *=.*$/m, 'serial = own-serial'));
    await writeFile(path.join(folder, 'own-serial'), '01\n');
    await writeFile(path.join(folder, 'own-query'), request.body);
    await openssl('ts', '-reply', '-config', 'own.cnf', '-queryfile', 'own-query', '-out', 'own-reply');
    const { stdout: answer } = await run('cat', [path.join(folder, 'own-reply')], { encoding: 'buffer' });
    expect(readTimeStamp(answer, request).time.getTime()).toBeGreaterThan(0);
    expect(() => readTimeStamp(answer, { ...request, imprint: sha256(new TextEncoder().encode('other')) })).toThrow(/something else/);
    expect(() => readTimeStamp(answer, timeStampRequest(request.imprint))).toThrow(/something else/);
    expect(() => readTimeStamp(answer.subarray(0, 40), request)).toThrow();
  });

  it('keys of witnesses are read strictly', () => {
    const text = witnessKey(sha256, witness.key);
    expect(readWitnessKey(sha256, text)).toEqual(witness.key);
    for (const other of ['', text.slice(0, -4), text.replace('example', 'exbmple'), `${text}=`]) expect(readWitnessKey(sha256, other)).toBeNull();
  });
});
