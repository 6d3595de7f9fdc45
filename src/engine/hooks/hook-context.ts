import type { CommandOutcome, CommandTerms } from '../../platform/child-process/run-command.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { Clock, HookCall } from '../../ports/index.js';

/** A session, by which a sandbox finds its folder and its account. */
type Session = Pick<HookCall, 'tenantId' | 'sessionId'>;

export interface SandboxedCommand extends CommandTerms {
  /** For the shell. */
  readonly command: string;
  /** Variables set for it besides those of every command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files and folders that it may read at their own place, besides the operating system. */
  readonly readable: readonly string[];
}

/** Runs commands as the session's tools run theirs: in its folder, with its isolation, network, account and limits. */
export interface HookSandbox {
  /** The folder of a session, made when it does not exist. Rejects when it cannot be made. */
  folder(session: Session): Promise<string>;
  /** Null: the sandbox did not come as far as the command. */
  run(session: Session, command: SandboxedCommand, signal: AbortSignal): Promise<CommandOutcome | null>;
}

export interface HookSettings {
  /** Where commands without a sandbox run; hooks of the operator read it as `cwd`. */
  readonly directory: string;
  /** Null where sessions have no folder. */
  readonly sandbox: HookSandbox | null;
  /** Commands without a sandbox inherit a few harmless variables of it, and headers the variables they are allowed. Nothing else of it reaches a hook. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest output that is kept, in characters, for each of stdout, stderr, reason and context. */
  readonly outputCharacters: number;
  /** Longest answer that is read: characters of a command, bytes over http. */
  readonly answerBytes: number;
}

/** What one call of a hook needs besides the hook. */
export interface HookContext {
  readonly call: HookCall;
  /** The session's folder; null where it has none, or it cannot be made. */
  readonly folder: string | null;
  readonly settings: HookSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The JSON that a hook reads. Members of the call's own input cannot replace those that identify the session and the event. */
export function inputOf({ sessionId, permissionMode, event, workload, input }: HookCall, directory: string): { readonly [key: string]: Json } {
  const identity = {
    session_id: sessionId,
    transcript_path: '', // conversations are not files here; scripts that read the path find an empty text
    cwd: directory,
    permission_mode: permissionMode,
    hook_event_name: event,
    ...(workload === undefined ? {} : { workload }),
  };
  return { ...identity, ...input, ...identity };
}
