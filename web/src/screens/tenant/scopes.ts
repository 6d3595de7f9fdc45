import type { Scope } from '../../../../packages/protocol/access/actions.ts';

/** What a token with a scope may do. */
export const SCOPES_IN_WORDS: Readonly<Record<Scope, string>> = {
  'sessions:read': 'read conversations',
  'sessions:write': 'create and change conversations',
  'prompts:write': 'send prompts',
  'tools:write': 'decide tool calls',
  'audit:read': 'read audits',
  'people:write': 'manage people and tokens',
  'settings:write': 'change settings',
  'usage:read': 'read usage',
};
