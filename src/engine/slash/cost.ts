import type { LocalCommand } from './slash-command.js';

export const cost: LocalCommand = {
  kind: 'local',
  name: 'cost',
  description: 'Show the tokens that the session has used',
  bridgeSafe: true,
  run: async ({ session }) => {
    const { requests, inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = (await session()).usage;
    return [
      `Requests: ${requests}`,
      `Tokens in: ${inputTokens}, and ${cacheReadTokens} read from the cache, ${cacheCreationTokens} written to it`,
      `Tokens out: ${outputTokens}`,
    ].join('\n');
  },
};
