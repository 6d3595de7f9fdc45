import { Sha256Digest } from '../src/platform/system/sha256-digest.js';
import type { ContentBlock } from '../packages/protocol/message/content.js';
import type { Message } from '../packages/protocol/message/message.js';
import { buildPayload, type PayloadInput } from '../packages/normalizer/build-payload.js';
import { normalize } from '../packages/normalizer/normalize.js';
import { profileFor } from '../packages/normalizer/models/profiles.js';
import { percentile } from './report.js';
import { DEFAULT_NORMALIZE_GATES } from '../packages/protocol/gates.js';

const MODEL = 'claude-sonnet-5-5';

/** `turns` times a prompt, an answer with two calls, their results, and a closing answer: four messages and about 4.6 KB each. */
export function conversation(turns: number): readonly Message[] {
  const messages: Message[] = [];
  const push = (fields: object): void => {
    const uuid = `${messages.length.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const parentUuid = messages.at(-1)?.uuid ?? null;
    messages.push({ uuid, parentUuid, timestamp: '2000-01-01T00:00:00.000Z', ...fields } as Message);
  };
  const answer = (id: string, content: readonly ContentBlock[]): object => ({
    type: 'assistant',
    message: { id, role: 'assistant', model: MODEL, content, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
  });
  for (let turn = 0; turn < turns; turn += 1) {
    push({ type: 'user', content: `Prompt ${turn}: ${'what does this module do, and who calls it? '.repeat(8)}` });
    push(
      answer(`msg_${turn}a`, [
        { type: 'text', text: `Looking at ${turn}. ${'I will read the two files that matter here. '.repeat(6)}` },
        { type: 'tool_use', id: `toolu_${turn}a`, name: 'Read', input: { path: `/src/module-${turn}.ts`, limit: 200 } },
        { type: 'tool_use', id: `toolu_${turn}b`, name: 'Grep', input: { pattern: `module${turn}`, path: '/src' } },
      ]),
    );
    push({
      type: 'user',
      isMeta: true,
      content: [
        { type: 'tool_result', tool_use_id: `toolu_${turn}a`, content: 'export const answer = 42; // and so on\n'.repeat(50) },
        { type: 'tool_result', tool_use_id: `toolu_${turn}b`, content: 'src/main.ts:17: import { answer }\n'.repeat(15) },
      ],
    });
    push(answer(`msg_${turn}b`, [{ type: 'text', text: `It answers ${turn}. ${'Nothing else depends on it. '.repeat(15)}` }]));
  }
  return messages;
}

/** The same with every prompt in two messages, an attachment after it, and results in two messages: every turn needs repair. */
export function untidyConversation(turns: number): readonly Message[] {
  return conversation(turns).flatMap((message): readonly Message[] => {
    if (message.type !== 'user') return [message];
    const part = (digit: string): string => message.uuid.slice(0, -1) + digit;
    if (typeof message.content === 'string') {
      const attachment: Message = { ...message, type: 'attachment', uuid: part('2'), attachment: { type: 'opened_file', filename: 'a.ts' } };
      return [message, { ...message, uuid: part('1') }, attachment];
    }
    return message.content.map((block, index) => ({ ...message, uuid: part(String(index)), content: [block] })).reverse();
  });
}

export interface NormalizationFigures {
  readonly messages: number;
  readonly bytes: number;
  /** Milliseconds, median of the runs. */
  readonly structuredClone: number;
  readonly stringify: number;
  /** The passes alone, without and with the trace. */
  readonly normalize: number;
  readonly normalizeWithTrace: number;
  /** Everything up to the body and its digests. */
  readonly buildPayload: number;
  readonly apiViewWithTrace: number;
}

export const inputOf = (messages: readonly Message[]): PayloadInput => ({
  messages,
  system: 'Be brief.',
  context: {},
  systemContext: {},
  tools: [],
  gates: DEFAULT_NORMALIZE_GATES,
  model: MODEL,
  maxTokens: 1_000,
});

const digest = new Sha256Digest();
export const sha256 = (content: string | Uint8Array): string => digest.sha256(content);

export function measureNormalization(messages: readonly Message[], runs = 30): NormalizationFigures {
  const input = inputOf(messages);
  const context = { profile: profileFor(MODEL), model: MODEL, gates: DEFAULT_NORMALIZE_GATES, tools: new Map(), userContext: {} };
  const { payload, body } = buildPayload(input, sha256, false);
  const times = medians(runs, {
    structuredClone: () => structuredClone(payload),
    stringify: () => JSON.stringify(payload),
    normalize: () => normalize(messages, context, false),
    normalizeWithTrace: () => normalize(messages, context, true),
    buildPayload: () => buildPayload(input, sha256, false),
    apiViewWithTrace: () => buildPayload(input, sha256, true),
  });
  return { messages: messages.length, bytes: body.length, ...times };
}

const WARM_UP = 5;

/** Milliseconds, of `runs` runs each, interleaved, after a warm-up. */
export function medians<Name extends string>(runs: number, works: Readonly<Record<Name, () => unknown>>): Readonly<Record<Name, number>> {
  const times = (Object.entries(works) as [Name, () => unknown][]).map(([name, work]) => ({ name, work, taken: [] as number[] }));
  for (let run = -WARM_UP; run < runs; run += 1) {
    for (const { work, taken } of times) {
      const start = performance.now();
      work();
      if (run >= 0) taken.push(performance.now() - start);
    }
  }
  return Object.fromEntries(times.map(({ name, taken }) => [name, percentile(taken, 0.5)])) as Record<Name, number>;
}
