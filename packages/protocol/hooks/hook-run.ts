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
  /** Of an `http` hook that answered. */
  readonly httpStatus?: number;
  readonly durationMs: number;
  /** Standard output, or the body of the HTTP answer; bounded. */
  readonly stdout: string;
  readonly stderr: string;
  /** Its reason for blocking, stopping or deciding. */
  readonly reason?: string;
  readonly additionalContext?: string;
  /** Message for the user. */
  readonly systemMessage?: string;
  /** Its permission decision about a tool call. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  /** Replaces the input of the tool call. */
  readonly updatedInput?: { readonly [key: string]: Json };
  /** Replaces the text of the prompt for the model; the original stays in the log. */
  readonly updatedPrompt?: string;
}
