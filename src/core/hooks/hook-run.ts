import type { Json } from '../message/content.js';

export type HookOutcome = 'success' | 'blocked' | 'prevented' | 'non_blocking_error' | 'timeout';

export interface HookRun {
  readonly hookRunId: string;
  /** The hook event it ran for, such as `UserPromptSubmit`. */
  readonly event: string;
  readonly hook: { readonly type: string; readonly command?: string; readonly url?: string; readonly matcher?: string };
  readonly input: Json;
  readonly outcome: HookOutcome;
  readonly exitCode: number | null;
  /** Of a hook that is called over http and answered. */
  readonly httpStatus?: number;
  readonly durationMs: number;
  /** What it printed, or answered. */
  readonly stdout: string;
  readonly stderr: string;
  /** What it said about the event, when it said something. */
  readonly reason?: string;
  readonly additionalContext?: string;
  /** What it wants the user to be told. */
  readonly systemMessage?: string;
  /** What it says of a tool call. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  /** The call's input as the hook wants it, in place of the whole of it. */
  readonly updatedInput?: { readonly [key: string]: Json };
  /** The prompt as the hook wants it sent; what was typed stays in the log. */
  readonly updatedPrompt?: string;
}
