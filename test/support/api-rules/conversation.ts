import fc from 'fast-check';
import { assistant, image, png, request, result, text, thought, tool, use, user } from './row.js';

/** A mutable request body. */
export interface Draft {
  model: string;
  max_tokens: number;
  tools: Record<string, unknown>[];
  messages: { role: string; content: Record<string, unknown>[]; [key: string]: unknown }[];
  [key: string]: unknown;
}

const words = fc.stringMatching(/^[a-zé😀 ]{0,20}$/u).map((value) => `w${value}.`);
const resultContent = fc.oneof(
  words,
  fc.constant(''),
  fc.array(
    fc.oneof(
      words.map((value) => text(value)),
      fc.constant(image(png(8, 8))),
    ),
    { minLength: 1, maxLength: 3 },
  ),
);

/** One step of a tool loop: the calls and their results. */
const step = fc.record({
  thinks: fc.boolean(),
  says: fc.option(words),
  results: fc.array(fc.record({ content: resultContent, failed: fc.boolean() }), { minLength: 1, maxLength: 3 }),
});

const exchange = fc.record({
  question: fc.array(words, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { maxLength: 3 }),
  answer: words,
});

/** Valid requests: every conversation has a tool loop with thinking, and ends with a user message. */
export const conversation = fc
  .tuple(
    fc.array(exchange, { maxLength: 3 }),
    fc.record({
      question: fc.constant<string[]>(['first']),
      steps: fc.array(step, { minLength: 1, maxLength: 3 }),
      answer: words,
    }),
  )
  .map(([others, sure]) => build([...others, sure]));

type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never;

function build(exchanges: readonly Exchange[]): Draft {
  let calls = 0;
  const messages = exchanges.flatMap(({ question, steps, answer }) => [
    user(...question.map((line) => text(line))),
    ...steps.flatMap(({ thinks, says, results }) => {
      const ids = results.map(() => `toolu_${(calls += 1)}`);
      return [
        assistant(...(thinks || calls === results.length ? [thought()] : []), ...(says === null ? [] : [text(says)]), ...ids.map((id) => use(id))),
        user(...results.map(({ content, failed }, index) => result(ids[index] ?? '', failed ? { is_error: true, content: 'failed' } : { content }))),
      ];
    }),
    assistant(text(answer)),
  ]);
  const body = request([...messages, user(text('last'))], { tools: [tool('look')], system: [text('be brief')] });
  return JSON.parse(JSON.stringify(body)) as Draft;
}
