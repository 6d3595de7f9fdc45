/**
 * The conversation in each library's own message type. It is created once, outside the timing: each library would have stored its messages that way.
 * Input: the result of `conversation` in bench/normalize-session.ts: prompts as text, answers as blocks, results in separate messages.
 */
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';

const textsOf = (content) => content.filter(({ type }) => type === 'text');
const callsOf = (content) => content.filter(({ type }) => type === 'tool_use');
const isPrompt = (message) => message.type === 'user' && typeof message.content === 'string';

/** AI SDK, the provider's prompt: a role per message, results in a `tool` message. */
export function providerPrompt(messages) {
  const names = callNames(messages);
  return messages.map((message) => {
    if (message.type === 'assistant')
      return { role: 'assistant', content: message.message.content.map((block) => (block.type === 'text' ? { type: 'text', text: block.text } : call(block))) };
    if (isPrompt(message)) return { role: 'user', content: [{ type: 'text', text: message.content }] };
    return {
      role: 'tool',
      content: message.content.map(({ tool_use_id: id, content }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: names.get(id),
        output: { type: 'text', value: content },
      })),
    };
  });
}

const call = ({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input });

/** AI SDK, as a chat stores them: calls and results are parts of the one answer that a turn is. */
export function uiMessages(messages) {
  return turns(messages).map(({ role, id, steps, results }) => ({
    id,
    role,
    parts: steps.flatMap((content) => [
      ...(role === 'assistant' ? [{ type: 'step-start' }] : []),
      ...textsOf(content).map(({ text }) => ({ type: 'text', text })),
      ...callsOf(content).map(({ id: callId, name, input }) => ({
        type: 'dynamic-tool',
        toolName: name,
        toolCallId: callId,
        state: 'output-available',
        input,
        output: results.get(callId),
      })),
    ]),
  }));
}

/** Mastra, as its memory stores them (format 2). */
export function mastraMessages(messages) {
  const began = Date.parse(messages[0].timestamp);
  return turns(messages).map(({ role, id, steps, results }, index) => ({
    id,
    role,
    createdAt: new Date(began + index),
    threadId: 'thread',
    resourceId: 'resource',
    content: {
      format: 2,
      parts: steps.flatMap((content, step) => [
        ...(role === 'assistant' ? [{ type: 'step-start' }] : []),
        ...textsOf(content).map(({ text }) => ({ type: 'text', text })),
        ...callsOf(content).map(({ id: callId, name, input }) => ({
          type: 'tool-invocation',
          toolInvocation: { state: 'result', step, toolCallId: callId, toolName: name, args: input, result: results.get(callId) },
        })),
      ]),
    },
  }));
}

/** LangChain: one object per message, and one per result. */
export function langchainMessages(messages) {
  return messages.flatMap((message) => {
    if (message.type === 'assistant') {
      const { content } = message.message;
      return [
        new AIMessage({ content: textsOf(content), tool_calls: callsOf(content).map(({ id, name, input }) => ({ id, name, args: input, type: 'tool_call' })) }),
      ];
    }
    if (isPrompt(message)) return [new HumanMessage(message.content)];
    return message.content.map(({ tool_use_id: id, content }) => new ToolMessage({ content, tool_call_id: id }));
  });
}

/** Prompts, and between them one answer of several steps, with the results of its calls. */
function turns(messages) {
  const found = [];
  for (const message of messages) {
    if (isPrompt(message)) found.push({ role: 'user', id: message.uuid, steps: [[{ type: 'text', text: message.content }]], results: new Map() });
    else {
      if (found.at(-1).role === 'user') found.push({ role: 'assistant', id: message.uuid, steps: [], results: new Map() });
      const answer = found.at(-1);
      if (message.type === 'assistant') answer.steps.push(message.message.content);
      else for (const { tool_use_id: id, content } of message.content) answer.results.set(id, content);
    }
  }
  return found;
}

function callNames(messages) {
  const calls = messages.flatMap((message) => (message.type === 'assistant' ? callsOf(message.message.content) : []));
  return new Map(calls.map(({ id, name }) => [id, name]));
}
