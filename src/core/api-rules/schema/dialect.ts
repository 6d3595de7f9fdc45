import type { Profile } from '../../models/profiles.js';

/** The points on which the request schema differs between providers and beta headers. */
export interface Dialect {
  readonly mediaByReference: boolean;
  readonly serverTools: boolean;
  /** `advisor` blocks of an earlier turn may be sent back (docs: Advisor tool). */
  readonly advisor: boolean;
  /** `thinking.block_binding` may be set (docs: Preserved thinking). */
  readonly blockBinding: boolean;
  /** `context_management` may clear results and thinking (docs: Context editing). */
  readonly contextEditing: boolean;
  /** `context_management` may compact, and `compaction` blocks may be sent back (docs: Compaction). */
  readonly compaction: boolean;
  /** `mcp_servers`, their tools, and blocks of their calls (docs: MCP connector). */
  readonly mcp: boolean;
}

export function dialectOf(profile: Profile, betas: readonly string[]): Dialect {
  return {
    mediaByReference: profile.mediaByReference,
    serverTools: profile.serverTools,
    advisor: betas.includes('advisor-tool-2026-03-01'),
    blockBinding: betas.includes('thinking-binding-controls-2026-08-01'),
    contextEditing: betas.includes('context-management-2025-06-27'),
    compaction: betas.some((beta) => beta.startsWith('compact-')),
    mcp: profile.serverTools && betas.some((beta) => beta.startsWith('mcp-client-')),
  };
}
