import type { Json } from '../../core/message/content.js';
import type { Clock, HookCall } from '../../core/ports.js';

export interface HookSettings {
  /** Where commands run; hooks of the operator read it as `cwd`. */
  readonly directory: string;
  /** What commands get PATH, HOME, LANG and TZ from, and headers the variables they are allowed. Nothing else of it reaches a hook. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest output that is kept, in characters, for each of stdout, stderr, reason and context. */
  readonly outputCharacters: number;
  /** Longest answer that is read: characters of a command, bytes over http. */
  readonly answerBytes: number;
}

/** What one call of a hook needs besides the hook. */
export interface Scene {
  readonly call: HookCall;
  readonly settings: HookSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The JSON that a hook reads. Its caller's own members cannot stand in for those that say where and for whom it runs. */
export function inputOf({ sessionId, permissionMode, event, workload, input }: HookCall, directory: string): { readonly [key: string]: Json } {
  const place = {
    session_id: sessionId,
    transcript_path: '', // conversations are not files here; scripts that read it find an empty text
    cwd: directory,
    permission_mode: permissionMode,
    hook_event_name: event,
    ...(workload === undefined ? {} : { workload }),
  };
  return { ...place, ...input, ...place };
}
