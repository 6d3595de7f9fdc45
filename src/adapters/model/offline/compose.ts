import { createHash } from 'node:crypto';
import { blocksOf } from '../../../core/message/content.js';
import { checkRequest } from '../../../core/api-rules/index.js';
import type { Payload } from '../../../core/normalize/payload.js';
import { profileFor } from '../../../core/models/profiles.js';
import type { JsonObject } from '../../../core/api-rules/reading.js';
import { typeOfStatus } from '../error-types.js';
import { readDirectives, shorten, withoutRejects, type Directives } from './directives.js';
import { inputTokens } from './input-tokens.js';
import { ITEM, wishesIn, readPrompt, type Prompt } from './prompt.js';
import { eventsOf, wordsOf, type Piece, type Script } from './script.js';
import { Signer, signatureIsValid } from './signature.js';

const QUOTED_CHARACTERS = 200;
const FILLER = wordsOf('the quick brown fox jumps over the lazy dog and then goes home to write it all down, word for word. ');

/**
 * What the offline model does about a request body: first it is held to the model API's rules, then to what its prompt asks for.
 * `ordinal` counts the requests of a turn from 1: a prompt that asks for a failure gets it at the first. The same arguments, the same script;
 * `windowTokens` is taken for the context window where the model's own is larger; `salt` sets apart equal bodies whose answers must not share their ids.
 */
export function compose(body: string, ordinal: number, salt = '', windowTokens: number | null = null): Script {
  const hash = createHash('sha256').update(salt).update(' ').update(body).digest('hex');
  const requestId = `req_011C${hash.slice(0, 20)}`;
  const refuse = (status: number, message: string, type = typeOfStatus(status)): Script => ({
    kind: 'refusal',
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
    return refuse(400, `The request body is not valid JSON: ${(error as SyntaxError).message}`);
  }
  const model = typeof payload?.model === 'string' ? payload.model : '';
  const profile = profileFor(model);
  const contextWindow = Math.min(profile.contextWindow, windowTokens ?? Infinity);
  const tokens = inputTokens(payload, body.length, profile);
  const [problem] = checkRequest(payload, { ...profile, contextWindow }, { signatureIsValid, bodyBytes: Buffer.byteLength(body), inputTokens: tokens });
  if (problem) return refuse(problem.status ?? 400, problem.text);

  const prompt = readPrompt(payload);
  const directives = readDirectives(prompt.summary ?? prompt.text);
  if (tokens > (directives.windowTokens ?? Infinity)) return refuse(400, `prompt is too long: ${tokens} tokens > ${directives.windowTokens} maximum`);
  const rejected = rejection(payload, directives.rejects);
  if (rejected) return refuse(400, rejected);
  if (directives.failStatus !== null && ordinal === 1) {
    return refuse(directives.failStatus, directives.failStatus === 529 ? 'Overloaded' : `The prompt asked for a failure with status ${directives.failStatus}.`);
  }

  const { pieces, stopReason } = prompt.results.length > 0 ? report(prompt) : perform(prompt, directives, payload, hash);
  const events = eventsOf({
    id: `msg_01${hash.slice(20, 42)}`,
    model,
    pieces,
    stopReason,
    inputTokens: tokens,
    signer: new Signer(payload as unknown as JsonObject),
  });
  return { kind: 'answer', requestId, events, delayMs: directives.slowMs };
}

interface Performance {
  readonly pieces: readonly Piece[];
  readonly stopReason: string;
}

/** What came back from the tools. */
function report({ results }: Prompt): Performance {
  const lines = results.map(({ tool, text, isError }) => `${tool} ${isError ? 'failed' : 'returned'}: ${text === '' ? 'nothing' : quote(text)}`);
  return { pieces: [{ type: 'text', words: wordsOf(lines.join('\n')) }], stopReason: 'end_turn' };
}

/** Thoughts first, calls last, as the API orders them. */
function perform(prompt: Prompt, { thoughts, texts, calls, faults }: Directives, payload: Payload, hash: string): Performance {
  const maxTokens = payload.max_tokens;
  const words = texts.flatMap((text, index) => [
    ...(index > 0 ? ['\n'] : []),
    ...(typeof text === 'number' ? filler(Math.min(text, maxTokens)) : wordsOf(text)),
  ]);
  const told = [...words, ...wordsOf(faults.join('\n'))];
  const spoken = told.length > 0 || calls.length > 0 ? told : wordsOf(prompt.summary === null ? reply(prompt) : summary(payload));
  const pieces: Piece[] = [
    ...thoughts.map((thinking): Piece => ({ type: 'thinking', thinking })),
    ...(spoken.length > 0 ? [{ type: 'text', words: spoken } as const] : []),
    ...calls.map(({ name, json }, index): Piece => ({
      type: 'tool_use',
      id: `toolu_01${hash.slice(42, 60)}${index.toString(36).padStart(4, '0')}`,
      name,
      json,
    })),
  ];
  const cut = texts.some((text) => typeof text === 'number' && text > maxTokens);
  return { pieces, stopReason: cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn' };
}

function reply({ text, media }: Prompt): string {
  const seen = media > 0 ? ` I see ${media} ${media === 1 ? 'attachment' : 'attachments'}.` : '';
  return text === '' ? `I am the offline model.${seen}` : `You wrote: ${quote(text)}.${seen}`;
}

/** What people wrote, in order, each in a few words; what it told the model to do is done. */
function summary(payload: Payload): string {
  return [
    '## Aims',
    ...wishesIn(payload).map((text) => `${ITEM}${shorten(text, QUOTED_CHARACTERS).replace(/\s+/g, ' ').replaceAll('{{', '{').toWellFormed()}`),
  ].join('\n');
}

const quote = (text: string): string => `“${shorten(text, QUOTED_CHARACTERS)}”`.toWellFormed();

const filler = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => FILLER[index % FILLER.length] ?? '');

/** Names the first block that holds a text which the prompt has forbidden, in the API's manner. */
function rejection(payload: Payload, forbidden: readonly string[]): string | null {
  if (forbidden.length === 0) return null;
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') {
      const said = withoutRejects(value);
      return forbidden.some((text) => said.includes(text));
    }
    return typeof value === 'object' && value !== null && Object.values(value).some(holds);
  };
  for (const [index, { content }] of payload.messages.entries()) {
    const block = blocksOf(content).findIndex(holds);
    if (block !== -1) return `messages.${index}.content.${block}: Could not process this block: it contains what the prompt asked to reject.`;
  }
  const field = (['system', 'tools'] as const).find((name) => holds(payload[name]));
  return field ? `${field}: Could not process this field: it contains what the prompt asked to reject.` : null;
}
