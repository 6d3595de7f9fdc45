import type { Json } from '../../../packages/protocol/message/content.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { originalBlobsIn, withOriginalBytes } from '../../../packages/normalizer/embedded-messages.js';
import { storedBytesIn, withInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { Blobs, EventLog } from '../../ports/index.js';
import type { LinePlace } from '../../session/state/client-records.js';
import { base64, type BytesOf } from './inline-blobs.js';

/** Reads what the log has of an imported file, with the bytes that are stored beside it. An event is read once. */
export class ClientLinesLog {
  readonly #events = new Map<number, ReadonlyMap<number, Json>>();

  constructor(
    private readonly of: BytesOf,
    private readonly store: EventLog,
    private readonly blobs: Blobs,
  ) {}

  /** The line as the file had it; null when it was erased. */
  async line({ seq, line }: LinePlace): Promise<Json> {
    const lines = this.#events.get(seq) ?? (await this.#load(seq));
    const value = lines.get(line) ?? null;
    const files = storedBytesIn(value).map(({ sha256 }) => sha256);
    if (files.length === 0) return value;
    const texts = await this.#texts(files);
    return withInlineBytes(value, ({ sha256 }) => texts.get(sha256));
  }

  /** The message with its files as they came; as it is stored, when one of them is gone. */
  async message<M extends Message>(message: M): Promise<M> {
    const files = originalBlobsIn(message).map(({ sha256 }) => sha256);
    if (files.length === 0) return message;
    const texts = await this.#texts(files);
    return files.every((sha256) => texts.has(sha256)) ? withOriginalBytes(message, (sha256) => texts.get(sha256)) : message;
  }

  async #load(seq: number): Promise<ReadonlyMap<number, Json>> {
    const { tenantId, sessionId } = this.of;
    const [event] = await this.store.load(tenantId, sessionId, seq - 1, seq);
    const lines = new Map(event?.type === 'import.retained' ? event.data.lines.map(({ line, value }) => [line, value] as const) : []);
    this.#events.set(seq, lines);
    return lines;
  }

  async #texts(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.blobs.get(this.of.tenantId, this.of.sessionId, [...new Set(files)]);
    return new Map([...found].map(([sha256, { content }]) => [sha256, base64(content)]));
  }
}
