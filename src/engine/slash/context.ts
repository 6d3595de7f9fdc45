import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { blobsIn, withBytes } from '../../../packages/normalizer/embedded-messages.js';
import { fileTokens } from '../../../packages/normalizer/media/file-tokens.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { payloadInput } from '../../session/payload/payload-input.js';
import type { LocalCommand } from './slash-command.js';

/** Estimate: average characters per token of a request. */
const CHARACTERS_PER_TOKEN = 4;

export const context: LocalCommand = {
  kind: 'local',
  name: 'context',
  description: "Estimate how much of the model's context window the conversation uses",
  bridgeSafe: true,
  run: async ({ session, gates, tenantId, maxOutputTokens, sha256 }) => {
    const active = await gates.snapshot(tenantId);
    const input = payloadInput(await session(), { gates: active, maxTokens: maxOutputTokens });
    const files = input.messages.flatMap(blobsIn);
    // Files are counted by their tokens, so the payload is built without their bytes.
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
