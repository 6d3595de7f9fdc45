/** Events for which hooks run, named as in the public hooks reference. */
export const HOOK_EVENTS = ['UserPromptSubmit', 'SessionStart', 'PreToolUse', 'PostToolUse', 'Stop', 'PreCompact'] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];
