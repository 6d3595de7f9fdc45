import { DomainError } from '../../../packages/protocol/errors.js';
import { canonicalMessage, canonicalShape } from '../../../packages/protocol/request/canonical.js';
import { type NumberedRequest, partsOf } from '../../../packages/protocol/request/client-chain.js';
import { clientLine } from '../../../packages/protocol/request/client-lines.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { ClientRequestRecord, LinePlace } from '../../session/state/client-records.js';
import type { SessionState } from '../../session/state/state.js';
import { TranscriptParts } from '../../session/transfer/transcript-parts.js';
import type { ClientLinesLog } from './client-lines-log.js';
import { clientPayload } from './client-payload.js';
import { Pace } from './pace.js';
import type { ClientRequestSummary, ClientRequestView } from './views.js';

type Sha256 = (text: string) => string;

/** Ids of clients have any form. */
const requestIdOf = ({ id }: Pick<ClientRequestRecord, 'id'>, sha256: Sha256): string => uuidFromSha256(sha256(`request of the client ${id}`));

/** `withContent`: with what the file says in its own words. */
export function clientRequestSummaries({ clientRecords }: SessionState, sha256: Sha256, withContent = true): readonly ClientRequestSummary[] {
  return Array.from(clientRecords.requests.values(), (record) => summaryOf(record, sha256, withContent));
}

function summaryOf(record: ClientRequestRecord, sha256: Sha256, withContent = true): ClientRequestSummary {
  const { id, seq, line, model, sentAt, querySource, erased } = record;
  const own = withContent ? { clientId: id, model, sentAt, querySource } : { clientId: null, model: null, sentAt: null, querySource: null };
  return { requestId: requestIdOf(record, sha256), recordedBy: 'client', ...own, seq, line, erased };
}

export function clientRequestOf({ clientRecords }: SessionState, requestId: string, sha256: Sha256): ClientRequestRecord | undefined {
  return [...clientRecords.requests.values()].find((record) => requestIdOf(record, sha256) === requestId);
}

/** The model API accepts no larger body. A file of some lines can name a long message any number of times. */
const MAX_BODY = 32 * 1024 * 1024;

/** A message of a request, and where it was found. `characters`: of its canonical form. */
interface Found {
  readonly message: UnknownObject;
  readonly characters: number;
  readonly line: number | null;
  readonly uuids: readonly string[];
}

/**
 * A request as the program that wrote an imported file had recorded it: its messages by their hashes, each taken from the lines of the file or from the transcript. What has
 * not the hash is not shown: a message that is missing or altered is named.
 */
export class ClientRequest {
  readonly #pace = new Pace();
  readonly #version: number;
  readonly #messages: readonly StoredMessage[];
  readonly #records: SessionState['clientRecords'];

  constructor(
    state: SessionState,
    private readonly record: ClientRequestRecord,
    private readonly log: ClientLinesLog,
    private readonly sha256: Sha256,
  ) {
    this.#version = state.version; // the state may change while the log is read
    this.#messages = Array.from(state.messages.values(), ({ message }) => message);
    this.#records = state.clientRecords;
  }

  async view(): Promise<ClientRequestView> {
    const own = await this.#request(this.record);
    const head = { version: this.#version, ...summaryOf(this.record, this.sha256), proof: 'canonical' as const };
    if (!own) return { ...head, ...NOTHING, erased: true };
    const { request } = own;
    const said = {
      base: request.base,
      keep: request.keep,
      parameters: request.params,
      betas: textsIn(request.params['betas']),
      recordedDigest: request.digest,
    };
    const chain = await this.#chain(own);
    const named = partsOf(own, (id) => chain.get(id));
    if ('reason' in named) return { ...head, ...NOTHING, ...said, verified: false, fault: `Line ${named.line} ${named.reason}.` };
    const { found, isCut } = await this.#found(new Set(named.flatMap(({ hash }) => hash ?? [])));
    const shape = await this.#shape(request.shape);
    const parts = named.map(({ hash, line }) => partView(hash, line, found));
    const gap = parts.find(({ from }) => from === null);
    const fault = gap
      ? `The message ${gap.hash ?? 'in an unknown form'}, which line ${gap.namedAt} names, is not in the session, or not as it was sent${isCut ? AS_FAR_AS_JOINED : ''}.`
      : shape === null
        ? `The system prompt and tools ${request.shape ?? 'without a hash'} are not in the session, or not as they were sent.`
        : null;
    const used = new Set(parts.flatMap(({ uuids }) => uuids));
    const original = this.#messages.filter(({ uuid }) => used.has(uuid));
    const shapeView = { hash: request.shape, line: shape?.line ?? null };
    const view = { ...head, ...said, original, parts, shape: shapeView, verified: fault === null, fault };
    if (fault !== null || shape === null)
      return { ...view, payload: null, body: 'null', markers: request.markers.map((marker) => ({ ...marker, isPlaced: false })) };
    requireSendable(shape.characters + parts.reduce((sum, { hash }) => sum + found.get(hash!)!.characters, 0));
    const { payload, markers } = clientPayload(
      request,
      shape.value,
      parts.map(({ hash }) => found.get(hash!)!.message),
    );
    return { ...view, payload, body: JSON.stringify(payload), markers };
  }

  /** Undefined: it was erased. */
  async #request(place: LinePlace): Promise<NumberedRequest | undefined> {
    const read = clientLine(await this.log.line(place));
    return read?.kind === 'request' && !this.record.erased ? { line: place.line, request: read } : undefined;
  }

  /** The requests that it continues, by id. */
  async #chain(last: NumberedRequest): Promise<ReadonlyMap<string, NumberedRequest>> {
    const chain = new Map<string, NumberedRequest>();
    for (let id = last.request.base; id !== null && !chain.has(id);) {
      const record = this.#records.requests.get(id);
      const base: NumberedRequest | undefined = record && (await this.#request(record));
      if (!base) break;
      chain.set(id, base);
      id = base.request.base;
    }
    return chain;
  }

  /** `isCut`: not every way to join messages was tried. */
  async #found(wanted: Set<string>): Promise<{ readonly found: ReadonlyMap<string, Found>; readonly isCut: boolean }> {
    const found = new Map<string, Found>();
    for (const hash of wanted) {
      const message = await this.#valueOf('blob', hash, canonicalMessage);
      if (message) found.set(hash, { message: message.value, characters: message.characters, line: message.line, uuids: [] });
    }
    const parts = new TranscriptParts();
    for (const stored of this.#messages) {
      if (found.size === wanted.size) break;
      for (const { message, canonical, uuids } of parts.of(await this.log.message(stored))) {
        await this.#pace.after(canonical.length);
        const hash = this.sha256(canonical);
        if (wanted.has(hash) && !found.has(hash)) found.set(hash, { message, characters: canonical.length, line: null, uuids });
        if (found.size === wanted.size) break;
      }
    }
    return { found, isCut: parts.isCut };
  }

  async #shape(hash: string | null): Promise<Read | null> {
    return hash === null ? null : this.#valueOf('shape', hash, canonicalShape);
  }

  /** The content of the first line with this hash that has it. */
  async #valueOf(kind: 'blob' | 'shape', hash: string, canonicalOf: (value: UnknownObject) => string): Promise<Read | null> {
    for (const place of this.#records[`${kind}s`].get(hash) ?? []) {
      const read = clientLine(await this.log.line(place));
      if (read?.kind !== kind) continue;
      const canonical = canonicalOf(read.value);
      await this.#pace.after(canonical.length);
      if (this.sha256(canonical) === hash) return { value: read.value, characters: canonical.length, line: place.line };
    }
    return null;
  }
}

/** What a line has: a message or a shape. */
interface Read {
  readonly value: UnknownObject;
  readonly characters: number;
  readonly line: number;
}

const AS_FAR_AS_JOINED = ', as far as messages were joined: they are too long to try every way';

function requireSendable(characters: number): void {
  if (characters <= MAX_BODY) return;
  throw new DomainError(
    'payload_too_large',
    `The request as it is recorded has ${characters} characters, more than the ${MAX_BODY} bytes that the model API accepts; it was not sent so.`,
    [],
    { limit: MAX_BODY },
  );
}

const NOTHING = {
  ...{ base: null, keep: 0, parameters: {}, betas: [], recordedDigest: null, original: [], parts: [], shape: { hash: null, line: null }, markers: [] },
  ...{ payload: null, body: 'null', verified: null, fault: null },
} as const;

function partView(hash: string | null, namedAt: number, all: ReadonlyMap<string, Found>): ClientRequestView['parts'][number] {
  const found = hash === null ? undefined : all.get(hash);
  if (!found) return { hash, namedAt, from: null, line: null, uuids: [] };
  return { hash, namedAt, from: found.line === null ? 'transcript' : 'file', line: found.line, uuids: found.uuids };
}

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []);
