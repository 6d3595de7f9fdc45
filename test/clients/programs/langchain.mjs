import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { ADD, add, API_KEY, BASE_URL, MODEL, serve } from './scenarios.mjs';

const model = new ChatAnthropic({ model: MODEL, apiKey: API_KEY, anthropicApiUrl: BASE_URL, maxTokens: 1000, maxRetries: 2 });

/** The whole answer of a stream. */
async function streamed(runnable, messages) {
  let answer;
  for await (const chunk of await runnable.stream(messages)) answer = answer === undefined ? chunk : answer.concat(chunk);
  return answer;
}

await serve({
  async turns(prompts) {
    const messages = [];
    const texts = [];
    for (const content of prompts) {
      messages.push(new HumanMessage(content));
      const answer = await streamed(model, messages);
      messages.push(answer);
      texts.push(answer.text);
    }
    return texts;
  },
  async tool(content) {
    const adder = tool(async (input) => add(input), { ...ADD, schema: z.object({ a: z.number(), b: z.number() }) });
    const messages = [new HumanMessage(content)];
    for (;;) {
      const answer = await streamed(model.bindTools([adder]), messages);
      messages.push(answer);
      if (!answer.tool_calls?.length) return answer.text;
      for (const call of answer.tool_calls) messages.push(new ToolMessage({ content: await adder.invoke(call.args), tool_call_id: call.id }));
    }
  },
  async abort(content) {
    const controller = new AbortController();
    for await (const chunk of await model.stream([new HumanMessage(content)], { signal: controller.signal })) {
      if (chunk.text !== '') controller.abort();
    }
    controller.signal.throwIfAborted();
  },
});
