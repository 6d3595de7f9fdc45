import type { Effort, Resolution, ThinkingMode } from './profile-terms.js';

/** What a model family accepts, on every provider. */
export interface Family {
  /** Tokens of input and output together (docs: Models overview). */
  readonly contextWindow: number;
  /** Largest `max_tokens` (docs: Models overview). */
  readonly maxOutputTokens: number;
  /** Maximum image size that the model processes. Larger images are downscaled first, so coordinates in its output refer to the downscaled image (docs: Vision). */
  readonly resolution: Resolution;
  /** Whether a request may end with an assistant message that the model continues (docs: Errors, "Prefill not supported"). */
  readonly prefill: boolean;
  /** Whether `messages` accepts `role: "system"` (docs: Mid-conversation system messages). */
  readonly systemRole: boolean;
  /** Accepted values of `thinking.type` (docs: Thinking, "Configuring thinking"). */
  readonly thinkingModes: readonly ThinkingMode[];
  /** Whether `disabled` and `between_tools` are accepted at the efforts `xhigh` and `max` (docs: Thinking). */
  readonly thinkingOffAtTopEffort: boolean;
  /** Whether thinking is on for a request without `thinking` (docs: Thinking, "Configuring thinking"). */
  readonly thinksByDefault: boolean;
  /** Whether thinking comes back empty unless `thinking.display` asks for a summary (docs: Thinking, "Controlling thinking display"). */
  readonly omitsThinking: boolean;
  /** Whether a thinking signature is bound to the exact request prefix before the block (docs: Preserved thinking). */
  readonly preservedThinking: boolean;
  /**
   * Handling of thinking that a model of another family signed. Models up to 4.8 accept each other's blocks. Newer models accept blocks of some other models,
   * depending on the platform, and silently drop the rest (docs: Preserved thinking, "Switching models mid-conversation").
   */
  readonly otherModelThinking: 'keep' | 'drop';
  /** Whether `defer_loading`, `tool_reference` and the tool search tools exist (docs: Tool search tool). */
  readonly toolSearch: boolean;
  /** `temperature`, `top_p`, `top_k`: at most one of the first two, or default values only (docs: the models' migration guides). */
  readonly sampling: 'one-of' | 'defaults-only';
  /** `tool_choice` of type `any` or `tool`: always rejected, or only together with manual thinking (docs: Errors, "Forced tool use not supported"). */
  readonly forcedToolChoice: 'rejected' | 'without-manual-thinking';
  /** Accepted values of `output_config.effort`; an empty list means that the field is rejected (docs: Effort). */
  readonly effortLevels: readonly Effort[];
  /** Whether input plus `max_tokens` over the window is rejected before generation (docs: Context windows; models before 4.5). */
  readonly rejectsOverflow: boolean;
}

const RESOLUTION: Resolution = { pixelsPerSide: 1_568, patches: 1_568 };
const RESOLUTION_4_7: Resolution = { pixelsPerSide: 2_576, patches: 4_784 };

/** The strictest value of every field, for models that are not in the table below. */
export const UNKNOWN_FAMILY: Family = {
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  resolution: RESOLUTION,
  prefill: false,
  systemRole: false,
  thinkingModes: ['adaptive'],
  thinkingOffAtTopEffort: false,
  thinksByDefault: true,
  omitsThinking: true,
  preservedThinking: true,
  otherModelThinking: 'drop',
  toolSearch: false,
  sampling: 'defaults-only',
  forcedToolChoice: 'rejected',
  effortLevels: ['low', 'medium', 'high'],
  rejectsOverflow: false,
};

const BEFORE_4_5: Family = {
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  resolution: RESOLUTION,
  prefill: true,
  systemRole: false,
  thinkingModes: ['enabled', 'disabled'],
  thinkingOffAtTopEffort: true,
  thinksByDefault: false,
  omitsThinking: false,
  preservedThinking: false,
  otherModelThinking: 'keep',
  toolSearch: false,
  sampling: 'one-of',
  forcedToolChoice: 'without-manual-thinking',
  effortLevels: [],
  rejectsOverflow: true,
};

const GENERATION_4_5: Family = { ...BEFORE_4_5, maxOutputTokens: 64_000, toolSearch: true, rejectsOverflow: false };

const GENERATION_4_6: Family = {
  ...GENERATION_4_5,
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  prefill: false,
  thinkingModes: ['enabled', 'adaptive', 'disabled'],
  effortLevels: ['low', 'medium', 'high', 'max'],
};

const OPUS_4_7: Family = {
  ...GENERATION_4_6,
  resolution: RESOLUTION_4_7,
  thinkingModes: ['adaptive', 'disabled'],
  omitsThinking: true,
  sampling: 'defaults-only',
  effortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
};

const GENERATION_5: Family = { ...OPUS_4_7, systemRole: true, thinksByDefault: true, otherModelThinking: 'drop' };

/** Fable and Mythos: thinking cannot be disabled and tool use cannot be forced. */
const ALWAYS_THINKING: Family = { ...GENERATION_5, thinkingModes: ['adaptive'], forcedToolChoice: 'rejected' };

const ALWAYS_THINKING_BOUND: Family = { ...ALWAYS_THINKING, preservedThinking: true };

/** Keyed by model line and version: the part of a model id after `claude-`. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  'opus-4': BEFORE_4_5,
  'opus-4-1': BEFORE_4_5,
  'sonnet-4': { ...BEFORE_4_5, maxOutputTokens: 64_000 },
  'haiku-4-5': { ...GENERATION_4_5, toolSearch: false },
  'sonnet-4-5': GENERATION_4_5,
  'opus-4-5': { ...GENERATION_4_5, effortLevels: ['low', 'medium', 'high'] },
  'sonnet-4-6': GENERATION_4_6,
  'opus-4-6': GENERATION_4_6,
  'opus-4-7': OPUS_4_7,
  'opus-4-8': { ...OPUS_4_7, systemRole: true },
  'mythos-preview': { ...ALWAYS_THINKING, systemRole: false },
  'sonnet-5': { ...GENERATION_5, systemRole: false },
  'opus-5': { ...GENERATION_5, thinkingOffAtTopEffort: false },
  'fable-5': ALWAYS_THINKING,
  'mythos-5': ALWAYS_THINKING,
  'fable-5-1': ALWAYS_THINKING_BOUND,
  'mythos-5-1': ALWAYS_THINKING_BOUND,
  'fable-5-2': ALWAYS_THINKING_BOUND,
  'mythos-5-2': ALWAYS_THINKING_BOUND,
  'opus-5-5': ALWAYS_THINKING_BOUND,
  'sonnet-5-5': {
    ...ALWAYS_THINKING_BOUND,
    thinkingModes: ['adaptive', 'between_tools'],
    thinkingOffAtTopEffort: false,
  },
  'haiku-5-5': { ...GENERATION_5, preservedThinking: true, thinkingOffAtTopEffort: false },
};
