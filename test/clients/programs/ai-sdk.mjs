import { createAnthropic } from '@ai-sdk/anthropic';
import { stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { ADD, add, API_KEY, BASE_URL, MODEL, serve } from './scenarios.mjs';

const model = createAnthropic({ apiKey: API_KEY, baseURL: `${BASE_URL}/v1` })(MODEL);
const rethrow = ({ error }) => {
  throw error;
};

/** The text of a stream; its error is thrown. */
async function textOf(options) {
  let failure;
  const stream = streamText({ model, onError: ({ error }) => (failure = error), ...options });
  try {
    const text = await stream.text;
    if (failure !== undefined) rethrow({ error: failure });
    return { text, messages: (await stream.response).messages };
  } catch (error) {
    throw failure?.lastError ?? failure ?? error;
  }
}

await serve({
  async turns(prompts) {
    const messages = [];
    const texts = [];
    for (const content of prompts) {
      messages.push({ role: 'user', content });
      const { text, messages: answers } = await textOf({ messages });
      messages.push(...answers);
      texts.push(text);
    }
    return texts;
  },
  async tool(prompt) {
    const tools = {
      [ADD.name]: tool({ description: ADD.description, inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async (input) => add(input) }),
    };
    return (await textOf({ prompt, tools, stopWhen: stepCountIs(3) })).text;
  },
  async abort(prompt) {
    const controller = new AbortController();
    const stream = streamText({ model, prompt, abortSignal: controller.signal, onError: () => undefined });
    for await (const text of stream.textStream) {
      if (text !== '') controller.abort();
    }
    controller.signal.throwIfAborted();
  },
});
