import type { Json } from '../../core/message/content.js';
import type { Clock, HookCall } from '../../core/ports.js';

export interface HookSettings {
  /** Where commands of sessions without a folder run; hooks of the operator read it as `cwd`. */
  readonly directory: string;
  /** The folder of a session, made when it does not exist; null where sessions have none. Rejects when it cannot be made. */
  readonly sessionDirectory: ((tenantId: string, sessionId: string) => Promise<string>) | null;
  /** Commands inherit a few harmless variables of it, and headers the variables they are allowed. Nothing else of it reaches a hook. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest output that is kept, in characters, for each of stdout, stderr, reason and context. */
  readonly outputCharacters: number;
  /** Longest answer that is read: characters of a command, bytes over http. */
  readonly answerBytes: number;
}

/** What one call of a hook needs besides the hook. */
export interface HookContext {
  readonly call: HookCall;
  /** Where it runs: the session's folder where it has one. */
  readonly directory: string;
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
