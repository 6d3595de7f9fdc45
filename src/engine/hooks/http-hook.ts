import type { HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import { cutOutput } from './cut-output.js';
import { type HttpHook, shownUrl } from './definition.js';
import { type HookAnswer, readAnswer } from './hook-answer.js';
import { post, type PostOutcome } from './post.js';
import { type Resolve, resolveAsSystem, resolveByNameServer } from './addresses.js';
import { type HookContext, inputOf } from './hook-context.js';
import { signatureHeaders } from './signature.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

/** Events whose hooks may add context by answering with plain text (public hooks reference, "HTTP response handling"). */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse']);

const NAME_SERVER_MS = 5_000;

/** How a hook's URL may be called. */
export interface CallPolicy {
  /** Whether it must be on the public internet, over TLS. */
  readonly publicOnly: boolean;
  /** The key that signs calls; null for none. */
  readonly secret: string | null;
  readonly resolve?: Resolve;
}

export async function runHttpHook(
  hook: HttpHook,
  { publicOnly, secret, resolve }: CallPolicy,
  { call, folder, settings, clock, signal }: HookContext,
): Promise<HookRun> {
  const { outputCharacters: limit, answerBytes: maxBytes } = settings;
  const hookRunId = clock.uuid();
  const began = clock.now();
  const input = inputOf(call, hook.source === 'deployment' ? (folder ?? settings.directory) : '');
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
    stdout: outcome.kind === 'answer' ? cutOutput(outcome.body, limit) : '',
    stderr: '',
    ...answerOf(hook, call.event, outcome, { limit, maxBytes }),
  };
}

/** Only a 2xx answer decides anything; every other outcome is an error that blocks nothing. */
function answerOf({ timeoutMs }: HttpHook, event: HookEvent, outcome: PostOutcome, { limit, maxBytes }: { limit: number; maxBytes: number }): HookAnswer {
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
    case 'output_limit':
      return failed(`The hook's answer is longer than ${maxBytes} bytes and was not read.`);
    case 'encoded':
      return failed("The hook's answer is compressed although the request accepts no encoding, so it was not read.");
    case 'not_public':
      return failed("The hook's address is not on the public internet, so it was not called.");
    case 'unencrypted':
      return failed("The hook's address does not begin with https://, so it was not called.");
    case 'aborted':
      return failed('The hook was stopped because its turn was interrupted.');
    case 'failed':
      return failed(`The hook could not be reached (${outcome.code}).`);
  }
}
