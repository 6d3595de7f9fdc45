import type { HookEvent } from '../../core/ports.js';
import { cut } from './output-buffer.js';
import { type HttpHook, shownUrl } from './definition.js';
import { type HookAnswer, readAnswer } from './hook-answer.js';
import { post, type PostOutcome } from './post.js';
import { type Resolve, resolveAsSystem, resolveByNameServer } from './addresses.js';
import { inputOf, type Scene } from './hook-context.js';
import { signatureHeaders } from './signature.js';
import type { HookRun } from '../../core/hooks/hook-run.js';

/** Events whose hooks may speak to the model by answering with plain text: all at which there is something to add to (public hooks reference, "HTTP response handling"). */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse']);

const NAME_SERVER_MS = 5_000;

/** How a hook's address is reached. */
export interface Reach {
  /** Whether it may lie on the open internet only. */
  readonly publicOnly: boolean;
  /** What calls are signed with; null for none. */
  readonly secret: string | null;
  readonly resolve?: Resolve;
}

export async function runHttpHook(hook: HttpHook, { publicOnly, secret, resolve }: Reach, { call, settings, clock, signal }: Scene): Promise<HookRun> {
  const { outputCharacters: limit, answerBytes: maxBytes } = settings;
  const hookRunId = clock.uuid();
  const began = clock.now();
  const input = inputOf(call, hook.source === 'deployment' ? settings.directory : '');
  const body = JSON.stringify(input);
  const outcome = await post(
    {
      url: new URL(hook.url),
      headers: {
        ...hook.headers,
        'content-type': 'application/json',
        'user-agent': 'Verbatim-Hooks',
        'verbatim-hook-id': hookRunId,
        ...(secret === null ? {} : signatureHeaders(secret, Math.floor(began / 1000), body)),
      },
      body,
      timeoutMs: hook.timeoutMs,
      maxBytes,
      publicOnly,
      resolve: resolve ?? (publicOnly ? resolveByNameServer(NAME_SERVER_MS) : resolveAsSystem),
    },
    signal,
  );
  return {
    hookRunId,
    event: call.event,
    hook: { type: 'http', url: shownUrl(hook.url), ...(hook.matcher === null ? {} : { matcher: hook.matcher }) },
    input,
    exitCode: null,
    ...(outcome.kind === 'answer' ? { httpStatus: outcome.status } : {}),
    durationMs: Math.max(0, clock.now() - began),
    stdout: outcome.kind === 'answer' ? cut(outcome.body, limit) : '',
    stderr: '',
    ...judge(hook, call.event, outcome, { limit, maxBytes }),
  };
}

/** Nothing but a 2xx answer decides anything: the rest are errors that block nothing. */
function judge({ timeoutMs }: HttpHook, event: HookEvent, outcome: PostOutcome, { limit, maxBytes }: { limit: number; maxBytes: number }): HookAnswer {
  const failed = (reason: string): HookAnswer => ({ outcome: 'non_blocking_error', reason });
  switch (outcome.kind) {
    case 'answer': {
      const { status, body } = outcome;
      if (status >= 200 && status < 300) {
        return readAnswer(event, { text: body, length: body.length }, PLAIN_TEXT_IS_CONTEXT.has(event) ? 'context' : 'ignored', limit);
      }
      return failed(
        status >= 300 && status < 400 ? `The hook answered with a redirect (${status}), which is not followed.` : `The hook answered with status ${status}.`,
      );
    }
    case 'timeout':
      return { outcome: 'timeout', reason: `The hook did not answer in full within ${timeoutMs} ms.` };
    case 'flood':
      return failed(`The hook's answer does not end within ${maxBytes} bytes and was not read.`);
    case 'encoded':
      return failed("The hook's answer is compressed, which it was not asked for; it was not read.");
    case 'not_public':
      return failed("The hook's address is not on the public internet, so it was not called.");
    case 'unencrypted':
      return failed("The hook's address does not begin with https://, so it was not called.");
    case 'stopped':
      return failed('The hook was stopped, because what it ran for was.');
    case 'failed':
      return failed(`The hook could not be reached (${outcome.code}).`);
  }
}
