import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** Where `scripts/console.mjs` puts the built console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Scripts, styles and requests of this server only, nothing inline, no text that becomes markup. Images of conversations are object URLs of bytes that were
 * fetched with the credentials of the page. So are frames: one has a PDF, for the viewer of the browser. An object URL is made by scripts of the page alone, and
 * a page in one would have this policy, too: no address of another host and no script in the bytes gets in.
 */
const POLICY = [
  `default-src 'self'`,
  `img-src 'self' blob:`,
  `frame-src blob:`,
  `object-src 'none'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
].join('; ');

interface Asset {
  readonly type: string;
  readonly etag: string;
  /** By content coding; '' is the file itself. */
  readonly bytes: Readonly<Record<string, Buffer>>;
}

/**
 * Serves the console below the path where it is mounted: its assets, immutable since their names contain their hash, and for every other path the page, which
 * knows its own paths. Everything is read once, compressed by the build.
 */
export function consoleHandler(folder: string): RequestHandler {
  let files: ReadonlyMap<string, Asset> | null = null;
  return (request: Request, response: Response, next: NextFunction): void => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (!files?.has('index.html')) files = assetsIn(folder); // a build may be replacing them at this moment
    const page = files.get('index.html');
    const name = request.path.slice(1);
    const asset = files.get(name);
    if (page === undefined || (asset === undefined && name.startsWith('assets/'))) return next();
    send(request, response, asset ?? page, asset !== undefined && name.startsWith('assets/'));
  };
}

function send(request: Request, response: Response, { type, etag, bytes }: Asset, isImmutable: boolean): void {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  response.setHeader('content-type', type);
  response.setHeader('vary', 'accept-encoding');
  response.setHeader('etag', etag);
  if (request.headers['if-none-match'] === etag) return void response.status(304).end();
  const coding = request.acceptsEncodings(...Object.keys(bytes).filter((one) => one !== '')) || '';
  const body = bytes[coding] ?? bytes['']!;
  if (bytes[coding] && coding !== '') response.setHeader('content-encoding', coding);
  response.setHeader('content-length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function assetsIn(folder: string): ReadonlyMap<string, Asset> {
  const files = new Map<string, Asset>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[path.extname(entry)];
    if (type === undefined) continue;
    const read = (suffix: string): Buffer | undefined => {
      const file = path.join(folder, entry + suffix);
      return existsSync(file) ? readFileSync(file) : undefined;
    };
    const [plain, br, gzip] = [read('')!, read('.br'), read('.gz')];
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    files.set(entry.split(path.sep).join('/'), { type, etag, bytes: { ...(br && { br }), ...(gzip && { gzip }), '': plain } });
  }
  return files;
}
