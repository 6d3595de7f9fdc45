import type { HookRun } from '../../core/hooks/hook-run.js';
import type { HookEvent } from '../../core/ports.js';
import { inheritedEnvironment } from '../../child-process/inherited-environment.js';
import { cutOutput } from './cut-output.js';
import type { CommandHook } from './definition.js';
import { blockedBy, type HookAnswer, readAnswer } from './hook-answer.js';
import { type HookContext, inputOf } from './hook-context.js';
import { type CommandOutcome, runCommand } from './run-command.js';

/** Events whose hooks may add context by printing plain text (public hooks reference, "Exit code output"). */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart']);

export async function runCommandHook(hook: CommandHook, { call, directory, settings, clock, signal }: HookContext): Promise<HookRun> {
  const { outputCharacters: limit } = settings;
  const input = inputOf(call, directory);
  const began = clock.now();
  const outcome = await runCommand(
    {
      command: hook.command,
      input: `${JSON.stringify(input)}\n`,
      directory,
      environment: {
        ...inheritedEnvironment(settings.environment),
        ...hook.environment,
        VERBATIM_SESSION_ID: call.sessionId,
        CLAUDE_PROJECT_DIR: directory,
      },
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
    exitCode: outcome.end.kind === 'exit' ? outcome.end.code : null,
    durationMs: Math.max(0, clock.now() - began),
    stdout: cutOutput(outcome.stdout.text, limit, outcome.stdout.length),
    stderr: cutOutput(outcome.stderr.text, limit, outcome.stderr.length),
    ...answerOf(hook, call.event, outcome, limit),
  };
}

/** Exit codes as in the public hooks reference: 0 answers on stdout, 2 blocks with stderr as the reason, any other is an error that blocks nothing. */
function answerOf({ timeoutMs }: CommandHook, event: HookEvent, { end, stdout, stderr }: CommandOutcome, limit: number): HookAnswer {
  const failed = (reason: string): HookAnswer => ({ outcome: 'non_blocking_error', reason });
  switch (end.kind) {
    case 'exit':
      if (end.code === 0) return readAnswer(event, stdout, PLAIN_TEXT_IS_CONTEXT.has(event) ? 'context' : 'ignored', limit);
      return end.code === 2 ? blockedBy(event, stderr.text, limit) : failed(`The hook ended with exit code ${end.code}.`);
    case 'signal':
      return failed(`The hook was ended by ${end.signal}.`);
    case 'timeout':
      return { outcome: 'timeout', reason: `The hook did not end within ${timeoutMs} ms and was stopped.` };
    case 'output_limit':
      return failed('The hook printed more than the output limit and was stopped.');
    case 'aborted':
      return failed('The hook was stopped because its turn was interrupted.');
    case 'spawn_failed':
      return failed(`The hook could not be started (${end.code}).`);
  }
}
