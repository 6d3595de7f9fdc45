import { buildPayload } from '../../core/normalize/build-payload.js';
import { blobsIn, withBytes } from '../../core/normalize/embedded-messages.js';
import { fileTokens } from '../../core/media/file-tokens.js';
import { profileFor } from '../../core/models/profiles.js';
import { payloadInput } from '../../core/normalize/payload-input.js';
import type { LocalCommand } from './slash-command.js';

/** What one token of a request comes to, roughly, in characters. */
const CHARACTERS_PER_TOKEN = 4;

export const context: LocalCommand = {
  kind: 'local',
  name: 'context',
  description: "Say how much of the model's context window the conversation takes, roughly",
  bridgeSafe: true,
  run: async ({ session, gates, tenantId, limits, sha256 }) => {
    const inForce = await gates.snapshot(tenantId);
    const input = payloadInput(await session(), { gates: inForce, maxTokens: limits.maxOutputTokens });
    const files = input.messages.flatMap(blobsIn);
    // Files count by what is seen of them, so the rest is looked at without their bytes.
    const messages = input.messages.map((message) => withBytes(message, () => ''));
    const { payload, body } = buildPayload({ ...input, messages }, sha256, false);
    const { contextWindow, resolution } = profileFor(payload.model);
    const tokens = files.reduce((sum, file) => sum + fileTokens(file, resolution), Math.ceil(body.length / CHARACTERS_PER_TOKEN));
    return [
      `Model: ${payload.model}, context window of ${contextWindow} tokens`,
      `Next request: ${payload.messages.length} messages, ${body.length} characters${files.length === 0 ? '' : `, ${files.length} ${files.length === 1 ? 'file' : 'files'}`}, about ${tokens} tokens (${Math.round((tokens / contextWindow) * 100)} %)`,
    ].join('\n');
  },
};
