/**
 * Memory used by building a payload, in a separate process: `node --expose-gc memory.js <file>`. Measures whenever a text is hashed, which is the last step, when
 * everything is in memory. Prints bytes as JSON.
 */
import { readFileSync } from 'node:fs';
import type { Message } from '../packages/protocol/message/message.js';
import { buildPayload } from '../packages/normalizer/build-payload.js';
import { conversation, inputOf, sha256 } from './normalize-session.js';

export interface MemoryFigures {
  readonly input: number;
  /** Peak heap in use after garbage collection, minus the heap before; includes the body as bytes while it is hashed. */
  readonly live: number;
  /** Growth of the resident memory, garbage included. */
  readonly resident: number;
}

const file = process.argv[2] as string;
const input = inputOf(JSON.parse(readFileSync(file, 'utf8')) as readonly Message[]);
buildPayload(inputOf(conversation(5)), sha256, false);

const collect = globalThis.gc as () => void;
const heap = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const peakOf = (look: () => number, every: number): number => {
  const before = look();
  let peak = before;
  let count = 0;
  const looking = (content: string | Uint8Array): string => {
    if (count++ % every === 0 || typeof content !== 'string') peak = Math.max(peak, look());
    return sha256(content);
  };
  const view = buildPayload(input, looking, false);
  peak = Math.max(peak, look());
  if (view.body.length === 0) throw new Error('An empty body');
  return peak - before;
};

collect();
const resident = peakOf(() => process.memoryUsage.rss(), 50);
const messages = input.messages.length;
const live = peakOf(heap, Math.ceil(messages / 10));
const figures: MemoryFigures = { input: Buffer.byteLength(JSON.stringify(input.messages)), live, resident };
process.stdout.write(JSON.stringify(figures));
