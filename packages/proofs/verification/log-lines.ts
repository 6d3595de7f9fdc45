/** The lines of an export with `format=log`. A line of any other kind, or with other members, is a fault. */

export interface HeadLine {
  readonly type: 'log';
  readonly format: typeof LOG_FORMAT;
  readonly sessionId: string;
  readonly tenantId: string;
  readonly events: number;
}

export interface EventLine {
  readonly type: 'event';
  readonly seq: number;
  readonly eventId: string;
  readonly commandId: string;
  readonly eventType: string;
  readonly schemaVersion: number;
  readonly actor: string;
  /** Null: withheld, in what follows the shared history of a parent. */
  readonly data: string | null;
  readonly recordedMicroseconds: string;
  /** Null: the content was erased, or is withheld. */
  readonly salt: string | null;
  readonly digest: string;
  readonly hash: string;
}

/** The events of a parent follow, up to the fork; none, if the reader may not read it. */
export interface ParentLine {
  readonly type: 'parent';
  readonly sessionId: string;
  readonly seq: number;
  readonly headHash: string;
  readonly events: number;
}

/** Shared events of the parent were erased after the fork: its log continues up to the event that says so, without other content, and then its proof. */
export interface ErasuresLine {
  readonly type: 'erasures';
  readonly events: number;
}

export interface FileLine {
  readonly type: 'file';
  readonly sha256: string;
  readonly mediaType: string | null;
  /** Base64; null: the server does not have it. */
  readonly content: string | null;
}

export interface ProofLine {
  readonly type: 'proof';
  readonly proof: Proof | null;
}

/** That an event is in the tree of a signed checkpoint. */
export interface Proof {
  readonly sessionId: string;
  readonly seq: number;
  readonly hash: string;
  readonly leafIndex: number;
  readonly hashes: readonly string[];
  readonly checkpoint: string;
  readonly key: string;
}

/** Name and version of the format. */
export const LOG_FORMAT = 'verbatim log/1';

/** What is wrong with a line. */
export class BadLine extends Error {}

type Check = (value: unknown) => boolean;
type Checks<Line> = { readonly [Member in keyof Line]: Check };

const text: Check = (value) => typeof value === 'string';
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const hash = matches(/^[0-9a-f]{64}$/);
const uuid = matches(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const whole =
  (from: number, to = Number.MAX_SAFE_INTEGER): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const is =
  (expected: unknown): Check =>
  (value) =>
    value === expected;

const PROOF: Checks<Proof> = {
  sessionId: uuid,
  seq: whole(1),
  hash,
  leafIndex: whole(0),
  hashes: (value) => Array.isArray(value) && value.every(text),
  checkpoint: text,
  key: text,
};

const isProof: Check = (value) => typeof value === 'object' && value !== null && wrongMember(value, PROOF) === null;

const CHECKS: { readonly [Kind in keyof Lines]: Checks<Lines[Kind]> } = {
  log: { type: is('log'), format: is(LOG_FORMAT), sessionId: uuid, tenantId: uuid, events: whole(1) },
  event: {
    type: is('event'),
    seq: whole(1),
    eventId: uuid,
    commandId: uuid,
    eventType: text,
    schemaVersion: whole(0, 2_147_483_647),
    actor: text,
    data: orNull(text),
    recordedMicroseconds: matches(/^-?\d{1,18}$/),
    salt: orNull(matches(/^[0-9a-f]{32}$/)),
    digest: hash,
    hash,
  },
  parent: { type: is('parent'), sessionId: uuid, seq: whole(1), headHash: hash, events: whole(0) },
  erasures: { type: is('erasures'), events: whole(1) },
  file: { type: is('file'), sha256: hash, mediaType: orNull(text), content: orNull(matches(/^[A-Za-z0-9+/]*={0,2}$/)) },
  proof: { type: is('proof'), proof: orNull(isProof) },
};

interface Lines {
  readonly log: HeadLine;
  readonly event: EventLine;
  readonly parent: ParentLine;
  readonly erasures: ErasuresLine;
  readonly file: FileLine;
  readonly proof: ProofLine;
}

/** A line of any kind. */
export function parsedLine(line: string): { readonly type: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new BadLine('this is not JSON; the file may be truncated.');
  }
  if (typeof value !== 'object' || value === null) throw new BadLine('this is not a JSON object.');
  return value as { readonly type: unknown };
}

/** The line as one of this kind. `expected`: what must be here, for the error. */
export function lineOf<Kind extends keyof Lines>(kind: Kind, line: { readonly type: unknown }, expected: string): Lines[Kind] {
  const wrong = wrongMember(line, CHECKS[kind]);
  if (wrong === null) return line as unknown as Lines[Kind];
  throw new BadLine(`${expected}: ${wrong === 'type' ? 'the line is of another kind' : `its member "${wrong}" is missing, unknown or not of its form`}.`);
}

/** The first member that is missing, not known, or not of its form. */
function wrongMember(value: object, checks: { readonly [member: string]: Check }): string | null {
  const given = value as { readonly [member: string]: unknown };
  const wrong = Object.keys(checks).find((member) => !Object.hasOwn(given, member) || !checks[member]!(given[member]));
  return wrong ?? Object.keys(given).find((member) => !Object.hasOwn(checks, member)) ?? null;
}
