import { createHash } from 'node:crypto';
import { blocksOf } from '../../../../packages/protocol/message/content.js';
import { checkRequest, type CheckSettings } from '../../../../packages/normalizer/api-rules/index.js';
import type { Payload } from '../../../../packages/normalizer/payload.js';
import { TITLE_OPENING } from '../../../../packages/protocol/message/wire-texts.js';
import { profileFor } from '../../../../packages/normalizer/models/profiles.js';
import type { JsonObject } from '../../../../packages/normalizer/api-rules/parsed-request.js';
import { typeOfStatus } from '../error-types.js';
import { shorten } from '../../../../packages/protocol/message/text.js';
import { readDirectives, withoutRejects, type Directives } from './directives.js';
import { inputTokens } from './input-tokens.js';
import { ITEM, userTextsIn, readPrompt, type Prompt } from './prompt.js';
import { eventsOf, wordsOf, type ScriptedBlock, type Script } from './script.js';
import { Signer, signatureIsValid } from './signature.js';

const QUOTED_CHARACTERS = 200;
const TITLE_WORDS = 6;
const FILLER = wordsOf('the quick brown fox jumps over the lazy dog and then goes home to write it all down, word for word. ');

/**
 * The offline model's response to a request body: validates it against the model API's rules, then follows the directives of the prompt. Deterministic.
 * `ordinal` counts the requests of a turn from 1: a `fail` directive applies to the first. `windowTokens` limits the context window.
 * `salt` gives requests with equal bodies different ids. `headers`: what they say of the API.
 */
export function compose(
  body: string,
  ordinal: number,
  salt = '',
  windowTokens: number | null = null,
  headers: Pick<CheckSettings, 'betas' | 'apiVersion'> = {},
): Script {
  const hash = createHash('sha256').update(salt).update(' ').update(body).digest('hex');
  const requestId = `req_011C${hash.slice(0, 20)}`;
  const errorResponse = (status: number, message: string, type = typeOfStatus(status)): Script => ({
    kind: 'error',
    requestId,
    status,
    type,
    message,
    retryAfterSeconds: status === 429 ? 1 : null,
  });

  let payload: Payload;
  try {
    payload = JSON.parse(body) as Payload;
  } catch (error) {
    return errorResponse(400, `The request body is not valid JSON: ${(error as SyntaxError).message}`);
  }
  const model = typeof payload?.model === 'string' ? payload.model : '';
  const profile = profileFor(model);
  const contextWindow = Math.min(profile.contextWindow, windowTokens ?? Infinity);
  const tokens = inputTokens(payload, body.length, profile);
  const settings = { ...headers, signatureIsValid, bodyBytes: Buffer.byteLength(body), inputTokens: tokens };
  const [problem] = checkRequest(payload, { ...profile, contextWindow }, settings);
  if (problem) return errorResponse(problem.status ?? 400, problem.text);

  const prompt = readPrompt(payload);
  const directives = readDirectives(prompt.text.startsWith(TITLE_OPENING) ? '' : (prompt.summary ?? prompt.text));
  if (tokens > (directives.windowTokens ?? Infinity)) return errorResponse(400, `prompt is too long: ${tokens} tokens > ${directives.windowTokens} maximum`);
  const message = rejection(payload, directives.rejects);
  if (message) return errorResponse(400, message);
  if (directives.failStatus !== null && ordinal === 1) {
    return errorResponse(
      directives.failStatus,
      directives.failStatus === 529 ? 'Overloaded' : `The prompt requests a failure with status ${directives.failStatus}.`,
    );
  }

  const { blocks, stopReason } = prompt.results.length > 0 ? reportResults(prompt) : followDirectives(prompt, directives, payload, hash);
  const events = eventsOf({
    id: `msg_01${hash.slice(20, 42)}`,
    model,
    blocks,
    stopReason,
    inputTokens: tokens,
    cached: directives.cached,
    signer: new Signer(payload as unknown as JsonObject),
  });
  return { kind: 'answer', requestId, events, delayMs: directives.slowMs };
}

interface Reply {
  readonly blocks: readonly ScriptedBlock[];
  readonly stopReason: string;
}

/** Lists the tool results. */
function reportResults({ results }: Prompt): Reply {
  const lines = results.map(({ tool, text, isError }) => `${tool} ${isError ? 'failed' : 'returned'}: ${text === '' ? 'nothing' : quote(text)}`);
  return { blocks: [{ type: 'text', words: wordsOf(lines.join('\n')) }], stopReason: 'end_turn' };
}

/** Thinking first, calls last, as in the API's responses. */
function followDirectives(prompt: Prompt, { thoughts, texts, calls, faults }: Directives, payload: Payload, hash: string): Reply {
  const maxTokens = payload.max_tokens;
  const words = texts.flatMap((text, index) => [
    ...(index > 0 ? ['\n'] : []),
    ...(typeof text === 'number' ? filler(Math.min(text, maxTokens)) : wordsOf(text)),
  ]);
  const withFaults = [...words, ...wordsOf(faults.join('\n'))];
  const spoken = withFaults.length > 0 || calls.length > 0 ? withFaults : wordsOf(prompt.summary === null ? reply(prompt) : summary(payload));
  const blocks: ScriptedBlock[] = [
    ...thoughts.map((thinking): ScriptedBlock => ({ type: 'thinking', thinking })),
    ...(spoken.length > 0 ? [{ type: 'text', words: spoken } as const] : []),
    ...calls.map(({ name, json }, index): ScriptedBlock => ({
      type: 'tool_use',
      id: `toolu_01${hash.slice(42, 60)}${index.toString(36).padStart(4, '0')}`,
      name,
      json,
    })),
  ];
  const cut = texts.some((text) => typeof text === 'number' && text > maxTokens);
  return { blocks, stopReason: cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn' };
}

/** A plain title: the first words of the question. */
function titleOf(request: string): string {
  const question = request.slice(TITLE_OPENING.length).replace(/^\s*\w+: /, '');
  return question
    .replace(/[^\p{L}\p{N}\s'-]/gu, ' ')
    .trim()
    .split(/\s+/)
    .slice(0, TITLE_WORDS)
    .join(' ');
}

function reply({ text, media }: Prompt): string {
  if (text.startsWith(TITLE_OPENING)) return titleOf(text);
  const seen = media > 0 ? ` I see ${media} ${media === 1 ? 'attachment' : 'attachments'}.` : '';
  return text === '' ? `I am the offline model.${seen}` : `You wrote: ${quote(text)}.${seen}`;
}

/** A list of the user texts, shortened. Directives in them are disabled, because they were already followed. */
function summary(payload: Payload): string {
  return [
    '## Aims',
    ...userTextsIn(payload).map((text) => `${ITEM}${shorten(text, QUOTED_CHARACTERS).replace(/\s+/g, ' ').replaceAll('{{', '{').toWellFormed()}`),
  ].join('\n');
}

const quote = (text: string): string => `“${shorten(text, QUOTED_CHARACTERS)}”`.toWellFormed();

const filler = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => FILLER[index % FILLER.length] ?? '');

/** The error message for the first block that contains a text of a `reject` directive, in the API's format. */
function rejection(payload: Payload, rejected: readonly string[]): string | null {
  if (rejected.length === 0) return null;
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') {
      const remaining = withoutRejects(value);
      return rejected.some((text) => remaining.includes(text));
    }
    return typeof value === 'object' && value !== null && Object.values(value).some(holds);
  };
  for (const [index, { content }] of payload.messages.entries()) {
    const block = blocksOf(content).findIndex(holds);
    if (block !== -1) return `messages.${index}.content.${block}: Could not process this block: it contains a text that the prompt's reject directive names.`;
  }
  const field = (['system', 'tools'] as const).find((name) => holds(payload[name]));
  return field ? `${field}: Could not process this field: it contains a text that the prompt's reject directive names.` : null;
}
