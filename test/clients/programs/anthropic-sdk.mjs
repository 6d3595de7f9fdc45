import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { ADD, add, API_KEY, BASE_URL, MODEL, serve } from './scenarios.mjs';

const client = new Anthropic({ apiKey: API_KEY, baseURL: BASE_URL });
const inputSchema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
const textOf = ({ content }) => content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

await serve({
  /** One turn after another, streamed, each with the whole history. */
  async turns(prompts) {
    const messages = [];
    const texts = [];
    for (const content of prompts) {
      messages.push({ role: 'user', content });
      const answer = await client.messages.stream({ model: MODEL, max_tokens: 1000, messages }).finalMessage();
      messages.push({ role: 'assistant', content: answer.content });
      texts.push(textOf(answer));
    }
    return texts;
  },
  async tool(content) {
    const messages = [{ role: 'user', content }];
    for (;;) {
      const answer = await client.messages.create({ model: MODEL, max_tokens: 1000, messages, tools: [{ ...ADD, input_schema: inputSchema }] });
      if (answer.stop_reason !== 'tool_use') return textOf(answer);
      const results = answer.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: add(block.input) }] : [],
      );
      messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: results });
    }
  },
  /** The loop of the package itself, which threads its requests where the server does. */
  async runner(content) {
    const tool = betaTool({ ...ADD, inputSchema, run: add });
    return textOf(await client.beta.messages.toolRunner({ model: MODEL, max_tokens: 1000, messages: [{ role: 'user', content }], tools: [tool] }));
  },
  /** A conversation that the server keeps: each request has only what is new. */
  async thread(prompts) {
    const thread = client.beta.messages.thread({ model: MODEL, max_tokens: 1000, system: 'You are terse.' });
    const texts = [];
    for (const content of prompts) texts.push(textOf(await thread.send({ role: 'user', content })));
    return texts;
  },
  async abort(content) {
    const stream = client.messages.stream({ model: MODEL, max_tokens: 1000, messages: [{ role: 'user', content }] });
    stream.once('text', () => stream.abort());
    await stream.finalMessage();
  },
});
