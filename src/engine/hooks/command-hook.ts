import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { HookEvent } from '../../../packages/protocol/hooks/hook-events.js';
import { inheritedEnvironment } from '../../platform/child-process/inherited-environment.js';
import { type CommandOutcome, runCommand } from '../../platform/child-process/run-command.js';
import { cutOutput } from './cut-output.js';
import type { CommandHook } from './definition.js';
import { blockedBy, type HookAnswer, readAnswer } from './hook-answer.js';
import { type HookContext, inputOf } from './hook-context.js';
import { filesOf } from './named-files.js';

/** Events whose hooks may add context by printing plain text (public hooks reference, "Exit code output"). */
const PLAIN_TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'SessionStart']);

/** Of the events that ask first: without the hook's answer nothing must happen that it may forbid. */
const ASKS_FIRST: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'PreToolUse']);

const NOTHING = { text: '', length: 0 };

export async function runCommandHook(hook: CommandHook, context: HookContext): Promise<HookRun> {
  const { call, settings, clock } = context;
  const { outputCharacters: limit } = settings;
  const isSandboxed = hook.sandbox && settings.sandbox !== null;
  // A hook outside of the sandbox is not told the session's folder: programs that it ran there would run what the model wrote.
  const input = inputOf(call, isSandboxed ? (context.folder ?? '') : settings.directory);
  const began = clock.now();
  const outcome = await (isSandboxed ? inSandbox : outside)(hook, `${JSON.stringify(input)}\n`, context);
  const { end = null, stdout = NOTHING, stderr = NOTHING } = outcome ?? {};
  return {
    hookRunId: clock.uuid(),
    event: call.event,
    hook: { type: 'command', command: hook.command, ...(hook.matcher === null ? {} : { matcher: hook.matcher }) },
    input,
    exitCode: end?.kind === 'exit' ? end.code : null,
    durationMs: Math.max(0, clock.now() - began),
    stdout: cutOutput(stdout.text, limit, stdout.length),
    stderr: cutOutput(stderr.text, limit, stderr.length),
    ...(outcome === null ? withoutAnswer(call.event) : answerOf(hook, call.event, outcome, limit)),
  };
}

/** Null: it did not run, because the model has made its folder unusable, the disk is full, or the like. */
async function inSandbox(hook: CommandHook, input: string, { call, folder, settings, signal }: HookContext): Promise<CommandOutcome | null> {
  if (folder === null || settings.sandbox === null) return null;
  const { command, environment, timeoutMs } = hook;
  const sandboxed = {
    command,
    environment: { ...environment, VERBATIM_SESSION_ID: call.sessionId, CLAUDE_PROJECT_DIR: folder },
    readable: filesOf(hook),
    input,
    timeoutMs,
    keep: settings.answerBytes,
  };
  return settings.sandbox.run(call, sandboxed, signal).catch(() => null);
}

function outside({ command, environment: own, timeoutMs }: CommandHook, input: string, { call, settings, signal }: HookContext): Promise<CommandOutcome> {
  const { directory, answerBytes: keep } = settings;
  const environment = { ...inheritedEnvironment(settings.environment), ...own, VERBATIM_SESSION_ID: call.sessionId, CLAUDE_PROJECT_DIR: directory };
  return runCommand({ file: '/bin/sh', args: ['-c', command], directory, environment, account: null }, { input, timeoutMs, keep }, signal);
}

function withoutAnswer(event: HookEvent): HookAnswer {
  const reason = "The hook did not run: the session's sandbox could not be started. The folder of the session may be full, or no longer accessible.";
  if (!ASKS_FIRST.has(event)) return { outcome: 'non_blocking_error', reason };
  return { outcome: 'blocked', reason, ...(event === 'PreToolUse' ? { decision: 'deny' } : {}) };
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
