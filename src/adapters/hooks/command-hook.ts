import type { HookRun } from '../../core/session/events.js';
import type { Clock, HookCall } from '../../core/ports.js';
import { cut } from './capture.js';
import { readAnswer, type HookAnswer } from './hook-answer.js';
import type { CommandHook } from './hooks-file.js';
import { runCommand, type CommandOutcome } from './run-command.js';

export interface CommandHookSettings {
  /** Where commands run; the hook reads it as `cwd`. */
  readonly directory: string;
  /** What PATH, HOME, LANG and TZ are taken from. Nothing else of it reaches a hook. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest output that is kept, in characters, for each of stdout, stderr, reason and context. */
  readonly outputCharacters: number;
}

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ'] as const;

/** JSON may write one character as six, and has members of its own: the answer is read from more than is kept. */
const JSON_ROOM = 8;

export async function runCommandHook(hook: CommandHook, call: HookCall, settings: CommandHookSettings, clock: Clock, signal: AbortSignal): Promise<HookRun> {
  const { directory, outputCharacters: limit } = settings;
  const input = {
    session_id: call.sessionId,
    transcript_path: '', // conversations are not files here; scripts that read it find an empty text
    cwd: directory,
    permission_mode: call.permissionMode,
    hook_event_name: call.event,
    ...(call.workload === undefined ? {} : { workload: call.workload }),
    ...call.input,
  };
  const began = clock.now();
  const outcome = await runCommand(
    {
      command: hook.command,
      input: `${JSON.stringify(input)}\n`,
      directory,
      environment: environmentFor(call, settings),
      timeoutMs: hook.timeoutMs,
      keep: limit * JSON_ROOM,
    },
    signal,
  );
  const { reason, additionalContext, systemMessage, outcome: verdict } = judge(hook, call, outcome, limit);
  return {
    hookRunId: clock.uuid(),
    event: call.event,
    hook: { type: 'command', command: hook.command, ...(hook.matcher === null ? {} : { matcher: hook.matcher }) },
    input,
    outcome: verdict,
    exitCode: outcome.ending.kind === 'exit' ? outcome.ending.code : null,
    durationMs: Math.max(0, clock.now() - began),
    stdout: cut(outcome.stdout.text, limit, outcome.stdout.length),
    stderr: cut(outcome.stderr.text, limit, outcome.stderr.length),
    ...(reason === undefined ? {} : { reason: cut(reason, limit) }),
    ...(additionalContext === undefined ? {} : { additionalContext }),
    ...(systemMessage === undefined ? {} : { systemMessage: cut(systemMessage, limit) }),
  };
}

/** Exit codes as in the public hooks reference: 0 answers on stdout, 2 blocks with stderr as the reason, any other is an error that blocks nothing. */
function judge({ timeoutMs }: CommandHook, { event }: HookCall, { ending, stdout, stderr }: CommandOutcome, limit: number): HookAnswer {
  const failed = (reason: string): HookAnswer => ({ outcome: 'non_blocking_error', reason });
  switch (ending.kind) {
    case 'exit': {
      if (ending.code === 0) return readAnswer(event, stdout, limit);
      const said = stderr.text.trim();
      return ending.code === 2
        ? { outcome: 'blocked', reason: said === '' ? 'The hook gave no reason.' : said }
        : failed(`The hook ended with exit code ${ending.code}.`);
    }
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
function environmentFor({ sessionId }: HookCall, { directory, environment }: CommandHookSettings): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]] as const]));
  return { ...Object.fromEntries(passed), VERBATIM_SESSION_ID: sessionId, CLAUDE_PROJECT_DIR: directory };
}
