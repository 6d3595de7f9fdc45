/**
 * Time that other libraries take to turn a conversation into a request for Claude. Reads the conversation as JSON (a file name, or stdin) and prints figures
 * as JSON. Only the library's own conversion is timed; its result is checked to contain every call and every result.
 *
 * They do less than our normalization. The AI SDK merges adjacent messages of one role, trims the last answer, and its full path validates every message by
 * schema and rejects a call without a result. LangChain converts blocks and merges adjacent results. Mastra converts its stored format to the AI SDK's, drops
 * calls without results, and leaves the last step to that provider. None of them orders results by calls, renames duplicate ids, inspects images, repairs
 * text, applies the limits of models, records its changes, or computes prefix digests.
 */
import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import { ChatAnthropic, convertPromptToAnthropic } from '@langchain/anthropic';
import { ChatPromptValue } from '@langchain/core/prompt_values';
import { MessageList } from '@mastra/core/agent';
import { convertToModelMessages, generateText } from 'ai';
import { langchainMessages, mastraMessages, providerPrompt, uiMessages } from './messages.mjs';

const MODEL = 'claude-sonnet-4-5';
const WARM_UP = 5;
const RUNS = 15;

const messages = JSON.parse(readFileSync(process.argv[2] ?? 0, 'utf8'));
const calls = messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : [])).filter(({ type }) => type === 'tool_use').length;

/** What a library sends arrives here and goes no further. */
let body = '';
const fetch = async (_url, { body: sent }) => {
  body = sent;
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
};

const anthropic = createAnthropic({ apiKey: 'none', fetch })(MODEL);
const chat = new ChatAnthropic({ model: MODEL, apiKey: 'none', maxRetries: 0, clientOptions: { fetch } });
const prompt = providerPrompt(messages);
const ui = uiMessages(messages);
const langchain = langchainMessages(messages);
const mastra = mastraMessages(messages);

/** `makes`: the text that is sent, or the value that it would be made of. */
const peers = [
  {
    name: 'AI SDK, provider step',
    makes: 'text',
    run: async () => {
      await anthropic.doGenerate({ prompt });
      return body;
    },
  },
  {
    name: 'AI SDK, whole path',
    makes: 'text',
    run: async () => {
      await generateText({ model: anthropic, maxRetries: 0, messages: await convertToModelMessages(ui) });
      return body;
    },
  },
  { name: 'LangChain, conversion', makes: 'value', run: () => convertPromptToAnthropic(new ChatPromptValue(langchain)) },
  {
    name: 'LangChain, whole path',
    makes: 'text',
    run: async () => {
      await chat.invoke(langchain);
      return body;
    },
  },
  // As Mastra reads a thread from its memory: into its own list, and from there to the prompt for the provider.
  {
    name: 'Mastra, message list to prompt',
    makes: 'value',
    run: () => new MessageList({ threadId: 'thread', resourceId: 'resource' }).add(mastra, 'memory').get.all.aiV5.llmPrompt(),
  },
];

const figures = [];
for (const { name, makes, run } of peers) {
  check(name, await run());
  const times = [];
  for (let round = -WARM_UP; round < RUNS; round += 1) {
    const start = performance.now();
    await run();
    if (round >= 0) times.push(performance.now() - start);
  }
  figures.push({ name, makes, milliseconds: times.sort((one, other) => one - other)[RUNS >> 1] });
}
process.stdout.write(`${JSON.stringify(figures)}\n`);

/** A library that leaves half of it out is not fast. */
function check(name, made) {
  const text = typeof made === 'string' ? made : JSON.stringify(made);
  const count = (pattern) => text.match(pattern)?.length ?? 0;
  const found = [count(/"type":"(tool_use|tool-call)"/g), count(/"type":"(tool_result|tool-result)"/g)];
  if (found.some((number) => number !== calls)) throw new Error(`${name}: ${found.join(' calls and ')} results of ${calls}`);
}
