import { createHash, randomBytes } from 'node:crypto';

/** Tokens, tickets of event streams, codes that sign in, sign-ins of browsers, links. The prefix tells what was found in a log or a repository. */
type Kind = 'vb' | 'vbt' | 'vbc' | 'vbs' | 'vbl';

/** A secret as it is looked up: among those of its tenant. */
export interface SecretKey {
  readonly tenantId: string;
  /** Of the whole secret. 256 random bits cannot be guessed, so an unsalted hash is enough to store. */
  readonly hash: Buffer<ArrayBuffer>;
}

const FORM = /^(?<kind>vb[a-z]?)_(?<tenant>[A-Za-z0-9_-]{22})_[A-Za-z0-9_-]{43}$/;

/** `<kind>_<tenant>_<random>`: it names its tenant, so that a request is routed and its look-up confined to the tenant before anything is read. */
export function newSecret(kind: Kind, tenantId: string): string {
  return `${kind}_${Buffer.from(tenantId.replaceAll('-', ''), 'hex').toString('base64url')}_${randomBytes(32).toString('base64url')}`;
}

/** Null: a secret of this kind does not look so. */
export function secretKey(kind: Kind, secret: string): SecretKey | null {
  const { kind: found, tenant } = FORM.exec(secret)?.groups ?? {};
  if (found !== kind || tenant === undefined) return null;
  const hex = Buffer.from(tenant, 'base64url').toString('hex');
  return { tenantId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), hash: hashOf(secret) };
}

export function hashOf(secret: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(secret).digest();
}
