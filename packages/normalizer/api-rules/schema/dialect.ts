import type { Profile } from '../../models/profiles.js';
import { KNOWN_BETAS } from '../known-betas.js';
import { type ApiVersion, SENT_API_VERSION } from '../parsed-request.js';

/** Differences of the request schema between providers, beta headers and versions of the API. */
export interface Dialect {
  readonly mediaByReference: boolean;
  readonly serverTools: boolean;
  /** The advisor tool and its blocks are accepted (docs: Advisor tool). */
  readonly advisor: boolean;
  /** `thinking.block_binding` is accepted (docs: Preserved thinking). */
  readonly blockBinding: boolean;
  /** `context_management` accepts the clearing edits (docs: Context editing). */
  readonly contextEditing: boolean;
  /** `context_management` accepts the compaction edit, and messages `compaction` blocks (docs: Compaction). */
  readonly compaction: boolean;
  /** The edit and block of the newer compaction version: `tool_changes` (docs: Compaction). */
  readonly compactionToolChanges: boolean;
  /** `thinking.display: "updates"` is accepted (docs: Thinking). */
  readonly displayUpdates: boolean;
  /** `fallbacks` and `fallback` blocks are accepted (docs: Refusals and fallback). */
  readonly fallbacks: boolean;
  /** The older top-level `output_format` is accepted (docs: Structured outputs). */
  readonly outputFormat: boolean;
  /** `thread` is accepted (docs: Message threads). */
  readonly threads: boolean;
  /** `billing_policy` is accepted (docs: User profiles). */
  readonly userProfiles: boolean;
  /** `clear_at` on system messages is accepted (docs: Mid-conversation system messages). */
  readonly clearAt: boolean;
  /** `output_config` on system messages is accepted (docs: Mid-conversation system messages). */
  readonly systemOutputConfig: boolean;
  /** `tool_addition` and `tool_removal` blocks in system messages are accepted (docs: Mid-conversation system messages). */
  readonly toolChanges: boolean;
  /** Top-level `cache_control` is accepted; legacy Bedrock rejects it (docs: Prompt caching). */
  readonly automaticCaching: boolean;
  /** `compaction` asks for a summary (docs: Compaction). */
  readonly compactionRequest: boolean;
  /** `fallback_credit_token` is accepted (docs: Refusals and fallback). */
  readonly fallbackCredit: boolean;
  /** `output_config.task_budget` is accepted (docs: Task budgets). */
  readonly taskBudget: boolean;
  /** Dates of the computer use tools that are accepted (docs: Computer use tool). */
  readonly computerUse: readonly string[];
  /** `temperature`, `top_p` and `top_k` exist (docs: API versions). */
  readonly sampling: boolean;
  /** A beta header is unknown, and so is what it accepts. */
  readonly isOpen: boolean;
  /** `mcp_tool_listing` blocks are accepted (docs: MCP connector). */
  readonly mcpListing: boolean;
  /** `mcp_servers`, their toolsets and call blocks are accepted (docs: MCP connector). */
  readonly mcp: boolean;
}

export function dialectOf(profile: Profile, betas: readonly string[], version: ApiVersion = SENT_API_VERSION): Dialect {
  return {
    mediaByReference: profile.mediaByReference,
    serverTools: profile.serverTools,
    advisor: betas.includes('advisor-tool-2026-03-01'),
    blockBinding: betas.includes('thinking-binding-controls-2026-08-01'),
    contextEditing: betas.includes('context-management-2025-06-27'),
    compaction: betas.some((beta) => beta.startsWith('compact-')),
    compactionToolChanges: betas.includes('compact-2026-09-04'),
    displayUpdates: betas.includes('thinking-display-updates-2026-08-18'),
    fallbacks: betas.some((beta) => beta.startsWith('server-side-fallback-')),
    outputFormat: betas.includes('structured-outputs-2025-11-13'),
    threads: betas.includes('message-threads-2026-08-12'),
    userProfiles: betas.some((beta) => beta.startsWith('user-profiles-')),
    clearAt: betas.includes('mid-conversation-system-clear-at-2026-08-21'),
    systemOutputConfig: betas.includes('mid-conversation-output-config-2026-07-01') || betas.includes('per-turn-control-2026-07-01'),
    toolChanges: betas.includes('mid-conversation-tool-changes-2026-07-01'),
    compactionRequest: betas.includes('compact-2026-09-04'),
    fallbackCredit: betas.some((beta) => beta.startsWith('fallback-credit-')),
    taskBudget: betas.includes('task-budgets-2026-03-13'),
    computerUse: betas.flatMap((beta) => COMPUTER_USE[beta] ?? []),
    sampling: version < '2026-10-21',
    isOpen: betas.some((beta) => beta !== '' && !KNOWN_BETAS.has(beta)),
    automaticCaching: profile.provider !== 'bedrock',
    mcpListing: profile.serverTools && betas.includes('mcp-client-2026-09-15'),
    mcp: profile.serverTools && betas.some((beta) => beta.startsWith('mcp-client-')),
  };
}

const COMPUTER_USE: Readonly<Record<string, string>> = {
  'computer-use-2024-10-22': '20241022',
  'computer-use-2025-01-24': '20250124',
  'computer-use-2025-11-24': '20251124',
};
