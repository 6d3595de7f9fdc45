import { apiView } from '../../core/view/api-view.js';
import { profileFor } from '../../core/view/profiles.js';
import { viewOf } from '../../core/view/view-of.js';
import type { LocalCommand } from './slash-command.js';

/** What one token of a request comes to, roughly, in characters. */
const CHARACTERS_PER_TOKEN = 4;

export const context: LocalCommand = {
  kind: 'local',
  name: 'context',
  description: 'Say how much of the model\'s context window the conversation takes, roughly',
  bridgeSafe: true,
  run: async ({ session, gates, tenantId, limits, sha256 }) => {
    const inForce = await gates.snapshot(tenantId);
    const { payload, body } = apiView(viewOf(await session(), { gates: inForce, maxTokens: limits.maxOutputTokens }), sha256, false);
    const { contextWindow } = profileFor(payload.model);
    const tokens = Math.ceil(body.length / CHARACTERS_PER_TOKEN);
    return [
      `Model: ${payload.model}, context window of ${contextWindow} tokens`,
      `Next request: ${payload.messages.length} messages, ${body.length} characters, about ${tokens} tokens (${Math.round((tokens / contextWindow) * 100)} %)`,
    ].join('\n');
  },
};
