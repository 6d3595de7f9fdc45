import type { HookEvent } from '../../core/ports.js';
import { cut } from './output-buffer.js';
import type { CommandHook } from './definition.js';
import { blockedBy, type HookAnswer, readAnswer } from './hook-answer.js';
import { type CommandOutcome, runCommand } from './run-command.js';
import { type HookSettings, inputOf, type Scene } from './hook-context.js';
import type { HookRun } from '../../core/hooks/hook-run.js';

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ'] as const;

/** Events whose hooks may speak to the model by printing plain text (public hooks reference, "Exit code output"). */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart']);

export async function runCommandHook(hook: CommandHook, { call, settings, clock, signal }: Scene): Promise<HookRun> {
  const { directory, outputCharacters: limit } = settings;
  const input = inputOf(call, directory);
  const began = clock.now();
  const outcome = await runCommand(
    {
      command: hook.command,
      input: `${JSON.stringify(input)}\n`,
      directory,
      environment: environmentFor(call.sessionId, settings),
      timeoutMs: hook.timeoutMs,
      keep: settings.answerBytes,
    },
    signal,
  );
  return {
    hookRunId: clock.uuid(),
    event: call.event,
    hook: { type: 'command', command: hook.command, ...(hook.matcher === null ? {} : { matcher: hook.matcher }) },
    input,
    exitCode: outcome.ending.kind === 'exit' ? outcome.ending.code : null,
    durationMs: Math.max(0, clock.now() - began),
    stdout: cut(outcome.stdout.text, limit, outcome.stdout.length),
    stderr: cut(outcome.stderr.text, limit, outcome.stderr.length),
    ...judge(hook, call.event, outcome, limit),
  };
}

/** Exit codes as in the public hooks reference: 0 answers on stdout, 2 blocks with stderr as the reason, any other is an error that blocks nothing. */
function judge({ timeoutMs }: CommandHook, event: HookEvent, { ending, stdout, stderr }: CommandOutcome, limit: number): HookAnswer {
  const failed = (reason: string): HookAnswer => ({ outcome: 'non_blocking_error', reason });
  switch (ending.kind) {
    case 'exit':
      if (ending.code === 0) return readAnswer(event, stdout, PLAIN_TEXT_IS_CONTEXT.has(event) ? 'context' : 'ignored', limit);
      return ending.code === 2 ? blockedBy(event, stderr.text, limit) : failed(`The hook ended with exit code ${ending.code}.`);
    case 'signal':
      return failed(`The hook was ended by ${ending.signal}.`);
    case 'timeout':
      return { outcome: 'timeout', reason: `The hook did not end within ${timeoutMs} ms and was stopped.` };
    case 'flood':
      return failed('The hook printed without end and was stopped.');
    case 'stopped':
      return failed('The hook was stopped, because what it ran for was.');
    case 'unstartable':
      return failed(`The hook could not be started (${ending.code}).`);
  }
}

/** Hooks see nothing of the server's own environment, which holds keys and addresses. */
function environmentFor(sessionId: string, { directory, environment }: HookSettings): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  return { ...Object.fromEntries(passed), VERBATIM_SESSION_ID: sessionId, CLAUDE_PROJECT_DIR: directory };
}
