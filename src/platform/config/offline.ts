import type { Settings } from './env.js';

/** Whether the built-in offline model answers: there is neither a key nor an address of the model API. */
export const answersOffline = ({ ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL }: Pick<Settings, 'ANTHROPIC_API_KEY' | 'ANTHROPIC_BASE_URL'>): boolean =>
  ANTHROPIC_API_KEY === undefined && ANTHROPIC_BASE_URL === undefined;
