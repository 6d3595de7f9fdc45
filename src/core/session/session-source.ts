/** What comes before a session's next prompt, as SessionStart hooks are told. */
export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';
