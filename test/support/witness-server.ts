import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { fromBase64 } from '../../packages/proofs/base64.js';
import { readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { cosignatureLine, cosignedText, witnessKey } from '../../packages/proofs/cosignature.js';
import { openNote, readVerifierKey } from '../../packages/proofs/note.js';
import { isConsistent, type TreeHead } from '../../packages/proofs/verify.js';

const cryptography = new NodeCryptography();
const { sha256, verify } = cryptography;

/** A witness for one log (C2SP tlog-witness): it signs a checkpoint when it continues the one that it signed before. */
export class WitnessServer {
  readonly #seed = cryptography.randomBytes(32);
  readonly key = { name: 'witness.example/one', key: cryptography.publicKey(this.#seed) };
  /** The public key of the log, once known. */
  log: string | null = null;
  signed: TreeHead = { size: 0, root: new Uint8Array() };
  /** Statuses of its answers. */
  readonly answers: number[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WitnessServer> {
    const server = createServer();
    const witness = new WitnessServer(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const [status, answer] = request.url === '/w/add-checkpoint' ? witness.#add(body) : [404, ''];
        witness.answers.push(status);
        response.writeHead(status, { 'content-type': status === 409 ? 'text/x.tlog.size' : 'text/plain' }).end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return witness;
  }

  /** As the setting WITNESSES has it. */
  get setting(): string {
    return `${witnessKey(sha256, this.key)} http://127.0.0.1:${(this.server.address() as AddressInfo).port}/w/`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  #add(body: string): readonly [number, string] {
    const end = body.indexOf('\n\n');
    const [first = '', ...hashes] = body.slice(0, end).split('\n');
    const [, old] = /^old (\d+)$/.exec(first) ?? [];
    if (old === undefined) return [400, ''];
    const key = this.log === null ? null : readVerifierKey(sha256, this.log);
    if (!key) return [404, ''];
    const note = openNote(sha256, body.slice(end + 2), key, verify);
    const head = note === null ? null : readCheckpoint(note);
    if (!head) return [403, ''];
    if (Number(old) !== this.signed.size) return [409, `${this.signed.size}\n`];
    const proof = hashes.map((hash) => fromBase64(hash)!);
    if (this.signed.size > 0 && !isConsistent(sha256, this.signed, head, proof)) return [422, ''];
    this.signed = head;
    const time = 1_800_000_000;
    return [200, cosignatureLine(sha256, this.key, time, cryptography.sign(this.#seed, cosignedText(note!, time)))];
  }
}
