import { createHash, type Hash } from 'node:crypto';
import { blocksOf, isObject, listOf, textOf, type JsonObject, type SignatureCheck } from '../../../../packages/normalizer/api-rules/parsed-request.js';
import { profileFor } from '../../../../packages/normalizer/models/profiles.js';

const MARK = 'offline:';

/** Signs thinking blocks of the offline model with a digest of the block and of the prefix before it. */
export class Signer {
  /** Computed with the first signature: it costs as much as the conversation is long, and most responses need none. */
  #prefix: Hash | null = null;
  readonly #blocks: JsonObject[] = [];

  /** The prefix starts with the whole request. */
  constructor(private readonly body: JsonObject) {}

  /** The signature of the next block of the response. */
  sign(thinking: string): string {
    return `${MARK}${digestOf(thinking)}.${digestSoFar(this.#hash())}`;
  }

  /** Adds a block of the response to the prefix. */
  add(block: object): void {
    this.#blocks.push(block as JsonObject);
  }

  #hash(): Hash {
    const hash = (this.#prefix ??= hashOf(this.body, () => {}));
    for (const block of this.#blocks.splice(0)) write(hash, 'assistant', block);
    return hash;
  }
}

/**
 * Verifies that a thinking block is unchanged and, on models with preserved thinking, that its prefix is unchanged. Accepts blocks signed by other models,
 * which it cannot verify.
 */
export const signatureIsValid: SignatureCheck = (block, { body, at }) => {
  const signature = block['signature'] ?? block['data'];
  if (typeof signature !== 'string' || !signature.startsWith(MARK)) return signature !== '';
  const [own, prefix] = signature.slice(MARK.length).split('.');
  if (typeof block['thinking'] !== 'string' || own !== digestOf(block['thinking'])) return 'invalid';
  if (prefix === undefined || !profileFor(textOf(body['model'])).preservedThinking) return 'valid';
  return prefixesIn(body).get(at) === prefix ? 'valid' : 'other-conversation';
};

/** Digest of the prefix of each thinking block by path; computed once per body. */
function prefixesIn(body: JsonObject): ReadonlyMap<string, string> {
  const known = PREFIXES.get(body);
  if (known) return known;
  const requestPrefixes = new Map<string, string>();
  hashOf(body, (hash, at) => requestPrefixes.set(at, digestSoFar(hash)));
  PREFIXES.set(body, requestPrefixes);
  return requestPrefixes;
}

const PREFIXES = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

/** Hashes the request in prompt order, without cache markers; `onThinking` receives the hash of the prefix of each thinking block. */
function hashOf(body: JsonObject, onThinking: (hash: Hash, at: string) => void): Hash {
  const hash = createHash('sha256');
  for (const { value } of blocksOf(body['system'], 'system')) write(hash, 'system', value);
  for (const tool of listOf(body['tools'])) if (isObject(tool)) write(hash, 'tool', tool);
  listOf(body['messages']).forEach((message, index) => {
    if (!isObject(message)) return;
    for (const { at, type, value } of blocksOf(message['content'], `messages.${index}.content`)) {
      if (type === 'thinking') onThinking(hash, at);
      write(hash, textOf(message['role']), value);
    }
  });
  return hash;
}

function write(hash: Hash, role: string, { cache_control: _, ...block }: JsonObject): void {
  hash.update(`${JSON.stringify([role, block])}\n`);
}

const digestSoFar = (hash: Hash): string => hash.copy().digest('base64');
const digestOf = (text: string): string => createHash('sha256').update(text.toWellFormed()).digest('base64');
