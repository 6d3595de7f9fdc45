import type { Profile } from '../../models/profiles.js';

/** Differences of the request schema between providers and beta headers. */
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
  /** `mcp_servers`, their toolsets and call blocks are accepted (docs: MCP connector). */
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
