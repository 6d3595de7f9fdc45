import { setTimeout } from 'node:timers/promises';
import { FAMILIES } from '../../../packages/normalizer/models/families.js';
import { ownModelNames } from '../../../packages/normalizer/models/own-models.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { compose } from '../../engine/model/offline/compose.js';
import type { Script } from '../../engine/model/offline/script.js';
import { AnswerStream } from '../../engine/model/stream.js';
import type { Answered, Passed } from './upstream.js';

/** Characters of a token, as an estimate. */
const TOKEN_CHARACTERS = 4;

/** What the model API would answer, without a network: the offline model in the shape of the Messages API, streamed or not. */
export function offlineAnswer(passed: Passed, salt: string): Answered {
  try {
    return answerOf(passed, salt);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    return error(400, 'invalid_request_error', 'The request body is nested too deeply.', salt);
  }
}

function answerOf({ method, path, body }: Passed, salt: string): Answered {
  const [route = ''] = path.split('?');
  const text = body?.toString() ?? '';
  if (method === 'POST' && route === '/v1/messages') return ofScript(scriptFor(text, salt), loose(parsed(text))['stream'] === true);
  if (method === 'POST' && route === '/v1/messages/count_tokens') return json(200, { input_tokens: Math.ceil(text.length / TOKEN_CHARACTERS) }, salt);
  if (method === 'GET' && route === '/v1/models') return json(200, modelPage(), salt);
  const model = models().find(({ id }) => route === `/v1/models/${id}`);
  if (method === 'GET' && model) return json(200, model, salt);
  return error(404, 'not_found_error', 'Not found', salt);
}

/** The offline model knows the rules of the public API; a client that uses features behind beta headers is answered by what it says alone. */
function scriptFor(text: string, salt: string): Script {
  const script = compose(text, 1, salt);
  if (script.kind === 'answer' || script.status !== 400) return script;
  const { model, max_tokens, messages } = loose(parsed(text));
  if (!Array.isArray(messages)) return script;
  const said = messages.filter((message) => loose(message)['role'] !== 'system');
  const plain = compose(JSON.stringify({ model, max_tokens, messages: said }), 1, salt);
  return plain.kind === 'answer' ? plain : script;
}

function ofScript(script: Script, isStream: boolean): Answered {
  if (script.kind === 'error') {
    const { status, type, message, requestId, retryAfterSeconds } = script;
    return error(status, type, message, requestId, retryAfterSeconds === null ? [] : ['retry-after', String(retryAfterSeconds)]);
  }
  const { events, requestId, delayMs } = script;
  if (!isStream) {
    const stream = new AnswerStream();
    for (const event of events) stream.take(event);
    return json(200, stream.answer().message, requestId);
  }
  const frames = async function* (): AsyncGenerator<Buffer> {
    for (const event of events) {
      yield Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      if (delayMs > 0 && event.type === 'content_block_delta') await setTimeout(delayMs);
    }
  };
  return {
    status: 200,
    rawHeaders: ['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache', 'request-id', requestId],
    body: frames(),
  };
}

const error = (status: number, type: string, message: string, requestId: string, more: readonly string[] = []): Answered =>
  json(status, { type: 'error', error: { type, message }, request_id: requestId }, requestId, more);

function json(status: number, value: object, requestId: string, more: readonly string[] = []): Answered {
  const bytes = Buffer.from(JSON.stringify(value));
  const rawHeaders = ['content-type', 'application/json', 'content-length', String(bytes.length), 'request-id', requestId, ...more];
  return {
    status,
    rawHeaders,
    body: (async function* () {
      yield bytes;
    })(),
  };
}

const models = () =>
  [...new Set([...Object.keys(FAMILIES).map((name) => `claude-${name}`), ...ownModelNames()])].map((id) => ({
    type: 'model',
    id,
    display_name: id.replace(/^claude-/, 'Claude '),
    created_at: '1970-01-01T00:00:00Z',
  }));

const modelPage = () => {
  const data = models();
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
