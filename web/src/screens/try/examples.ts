const ASKED = { role: 'user', content: 'Which files are in src?' };
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls src' } }] };
const request = (messages: readonly unknown[]): string => JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 1_024, messages }, null, 2);

/** Requests that the model API refuses, each for another reason. */
export const EXAMPLES = [
  { label: 'A tool call without a result', text: request([ASKED, CALL, { role: 'user', content: 'And in test?' }]) },
  { label: 'An empty text', text: request([ASKED, { role: 'assistant', content: [{ type: 'text', text: '' }] }, { role: 'user', content: 'Well?' }]) },
  {
    label: 'A result twice',
    text: request([
      ASKED,
      CALL,
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'index.ts' },
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'index.ts' },
        ],
      },
    ]),
  },
] as const;
