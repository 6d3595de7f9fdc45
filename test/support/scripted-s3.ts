import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createHash } from 'node:crypto';
import { BUCKET, CREDENTIALS } from './s3-server.js';

/** How the server answers a request instead of doing what it says. `null`: it does what it says. */
export type Script = (request: { readonly method: string; readonly key: string; readonly body: Buffer }, response: ServerResponse) => boolean | null;

const VERSIONS = /[?&]versions(?:=|&|$)/;

/**
 * The wire of S3 with versions, as a bucket with versioning has them: a removal without a version adds a marker and keeps the content. It refuses a body that does not have the digest that was
 * signed, as AWS does, and lets a test answer otherwise.
 */
export class ScriptedS3 {
  /** By key, oldest first; a marker of a deletion is null. */
  readonly versions = new Map<string, { readonly id: string; readonly content: Buffer | null }[]>();
  readonly requests: string[] = [];
  script: Script = () => null;
  #made = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedS3> {
    Object.assign(process.env, CREDENTIALS);
    const server = createServer();
    const s3 = new ScriptedS3(server);
    server.on('request', (request, response) => void s3.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return s3;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The contents that anybody with the credentials could still read, of all versions. */
  get contents(): readonly Buffer[] {
    return [...this.versions.values()].flat().flatMap(({ content }) => (content === null ? [] : [content]));
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const url = new URL(request.url!, this.url);
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const [method, key] = [request.method!, rest.join('/')];
    this.requests.push(`${method} ${key}`);
    if (this.script({ method, key, body }, response) !== null) return;
    const fail = (status: number, code: string): void => void response.writeHead(status, { 'content-type': 'application/xml' }).end(errorXml(code));
    if (bucket !== BUCKET) return fail(404, 'NoSuchBucket');
    const known = this.versions.get(key) ?? [];
    if (method === 'HEAD') return void response.end();
    if (method === 'GET' && VERSIONS.test(request.url!)) return void response.end(this.#list(url.searchParams.get('prefix') ?? ''));
    if (method === 'PUT') {
      if (request.headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) return fail(400, 'XAmzContentSHA256Mismatch');
      this.versions.set(key, [...known, { id: `v${(this.#made += 1)}`, content: body }]);
      return void response.end();
    }
    if (method === 'GET') {
      const content = known.at(-1)?.content;
      return content ? void response.end(content) : fail(404, 'NoSuchKey');
    }
    if (method !== 'DELETE') return fail(501, 'NotImplemented');
    const version = url.searchParams.get('versionId');
    this.versions.set(key, version === null ? [...known, { id: `v${(this.#made += 1)}`, content: null }] : known.filter(({ id }) => id !== version));
    return void response.writeHead(204).end();
  }

  #list(prefix: string): string {
    const found = [...this.versions].filter(([key]) => key.startsWith(prefix)).flatMap(([key, versions]) => versions.map((version) => ({ key, ...version })));
    const items = found.map(({ key, id, content }) => {
      const name = content === null ? 'DeleteMarker' : 'Version';
      return `<${name}><Key>${key}</Key><VersionId>${id}</VersionId></${name}>`;
    });
    return `<?xml version="1.0"?><ListVersionsResult><IsTruncated>false</IsTruncated>${items.join('')}</ListVersionsResult>`;
  }
}

export const errorXml = (code: string): string => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

/** Answers with an error of S3. */
export function answerError(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(errorXml(code));
  return true;
}
