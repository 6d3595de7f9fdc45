/** Why a session starts or restarts: the `source` that SessionStart hooks receive with the next prompt. */
export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';
