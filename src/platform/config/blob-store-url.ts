import { z } from 'zod';

/*
 * The object storage of files: s3://bucket/prefix?region=eu-central-1&endpoint=https://storage.example.com&path_style=true. Credentials are those of the AWS SDK, and not part of it.
 */
export interface BlobStoreAddress {
  readonly bucket: string;
  /** Before each name; empty, or ends with a slash. */
  readonly prefix: string;
  /** Null: that of the AWS SDK's own settings. */
  readonly region: string | null;
  /** Null: that of AWS in the region. */
  readonly endpoint: string | null;
  /** The bucket is in the path of requests, not in the name of the host. */
  readonly pathStyle: boolean;
}

const PARAMETERS = ['endpoint', 'region', 'path_style'];

/** Throws an Error that says what is wrong with the address. */
export function parseBlobStore(text: string): BlobStoreAddress {
  if (!text.startsWith('s3://') || !URL.canParse(text)) throw new Error('must be s3://bucket?region=…, or s3://bucket?endpoint=https://host&path_style=true');
  const { hostname: bucket, username, password, port, pathname, searchParams, hash } = new URL(text);
  if (username || password) throw new Error('must not have credentials: they are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what else the AWS SDK reads');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || port || hash) throw new Error('names no bucket: s3://bucket');
  for (const name of searchParams.keys()) if (!PARAMETERS.includes(name)) throw new Error(`has a parameter ${name}; there are ${PARAMETERS.join(', ')}`);
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  if (!/^[\w./-]*$/.test(prefix)) throw new Error('has a prefix with other characters than letters, digits and ._-/');
  const endpoint = searchParams.get('endpoint');
  if (endpoint !== null && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    throw new Error('has an endpoint that is no http or https address');
  const style = searchParams.get('path_style') ?? 'false';
  if (!['true', 'false'].includes(style)) throw new Error('has a path_style that is neither true nor false');
  // A storage that is not of AWS has no regions, and the signature needs one.
  const region = searchParams.get('region') ?? (endpoint === null ? null : 'us-east-1');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/`, region, endpoint, pathStyle: style === 'true' };
}

export const blobStore = z.string().transform((text, context): BlobStoreAddress => {
  try {
    return parseBlobStore(text);
  } catch (error) {
    context.issues.push({ code: 'custom', message: (error as Error).message, input: text });
    return z.NEVER;
  }
});
