import type { Json } from './content.js';

/**
 * Parameters of requests to the model, in the shapes of the model API. A session has some, and a prompt may have others for its turn. What the model of a request
 * does not accept is left out of it: see `fitOptions`.
 */
export interface ModelOptions {
  readonly effort?: Effort;
  readonly thinking?: ThinkingOptions;
  /** A forced choice (`any`, `tool`) applies to the first answer of a turn: the answers after it could never end. */
  readonly tool_choice?: ToolChoice;
  readonly stop_sequences?: readonly string[];
  /** Tools that the model API runs itself. */
  readonly server_tools?: readonly ServerTool[];
  /** Models that answer when the model refuses; `default`: as the API chooses. */
  readonly fallbacks?: 'default' | readonly Fallback[];
}

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export const THINKING_TYPES = ['enabled', 'adaptive', 'between_tools', 'disabled'] as const;
export type ThinkingMode = (typeof THINKING_TYPES)[number];

export const THINKING_DISPLAYS = ['summarized', 'omitted'] as const;

export interface ThinkingOptions {
  readonly type?: ThinkingMode;
  /** Only of `enabled`. */
  readonly budget_tokens?: number;
  readonly display?: (typeof THINKING_DISPLAYS)[number];
}

export const TOOL_CHOICES = ['auto', 'any', 'tool', 'none'] as const;

export interface ToolChoice {
  readonly type: (typeof TOOL_CHOICES)[number];
  /** Only of `tool`. */
  readonly name?: string;
  readonly disable_parallel_tool_use?: boolean;
}

export interface ServerTool {
  readonly type: string;
  readonly name: string;
  readonly [member: string]: Json;
}

/** The types of tools that the model API runs, with the name that each has. */
export const SERVER_TOOL = /^(web_search|web_fetch|code_execution)_\d{8}$/;

export interface Fallback {
  readonly model: string;
  readonly max_tokens?: number;
}

/** An option that the request does not have as it was asked for. */
export interface ChangedOption {
  readonly option: string;
  readonly reason: string;
}
