import { createHash, type Hash } from 'node:crypto';
import { blocksOf, isObject, listOf, textOf, type JsonObject, type SignatureCheck } from '../../../core/api-rules/reading.js';
import { profileFor } from '../../../core/models/profiles.js';

const MARK = 'offline:';

/** What the offline model signs its thinking with: what it thought, and all that stood in front of it. */
export class Signer {
  readonly #front: Hash;

  /** Behind all that a request holds. */
  constructor(body: JsonObject) {
    this.#front = hashOf(body, () => {});
  }

  /** The signature of thinking that comes next in the answer. */
  sign(thinking: string): string {
    return `${MARK}${digestOf(thinking)}.${soFar(this.#front)}`;
  }

  /** The answer goes on with this block. */
  add(block: object): void {
    write(this.#front, 'assistant', block as JsonObject);
  }
}

/**
 * Whether thinking is as the offline model made it, and, on models that preserve thinking, still stands behind what it was made behind. Of blocks that the
 * offline model did not make it can say nothing: signed ones pass.
 */
export const signatureIsValid: SignatureCheck = (block, { body, at }) => {
  const signature = block['signature'] ?? block['data'];
  if (typeof signature !== 'string' || !signature.startsWith(MARK)) return signature !== '';
  const [own, front] = signature.slice(MARK.length).split('.');
  if (typeof block['thinking'] !== 'string' || own !== digestOf(block['thinking'])) return 'invalid';
  if (front === undefined || !profileFor(textOf(body['model'])).preservedThinking) return 'valid';
  return frontsIn(body).get(at) === front ? 'valid' : 'other-conversation';
};

/** What stands in front of each block of thinking, by its path; worked out once for a body. */
function frontsIn(body: JsonObject): ReadonlyMap<string, string> {
  const known = FRONTS.get(body);
  if (known) return known;
  const requestPrefixes = new Map<string, string>();
  hashOf(body, (hash, at) => requestPrefixes.set(at, soFar(hash)));
  FRONTS.set(body, requestPrefixes);
  return requestPrefixes;
}

const FRONTS = new WeakMap<JsonObject, ReadonlyMap<string, string>>();

/** Everything in the order of the prompt, cache markers apart; `thought` sees what stands in front of each block of thinking. */
function hashOf(body: JsonObject, thought: (hash: Hash, at: string) => void): Hash {
  const hash = createHash('sha256');
  for (const { value } of blocksOf(body['system'], 'system')) write(hash, 'system', value);
  for (const tool of listOf(body['tools'])) if (isObject(tool)) write(hash, 'tool', tool);
  listOf(body['messages']).forEach((message, index) => {
    if (!isObject(message)) return;
    for (const { at, type, value } of blocksOf(message['content'], `messages.${index}.content`)) {
      if (type === 'thinking') thought(hash, at);
      write(hash, textOf(message['role']), value);
    }
  });
  return hash;
}

function write(hash: Hash, role: string, { cache_control: _, ...block }: JsonObject): void {
  hash.update(`${JSON.stringify([role, block])}\n`);
}

const soFar = (hash: Hash): string => hash.copy().digest('base64');
const digestOf = (text: string): string => createHash('sha256').update(text.toWellFormed()).digest('base64');
