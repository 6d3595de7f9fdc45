import type { Pass } from '../pass.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * Two answers in a row are one turn, for the reason of `merge-users`; and results of both stand in the one user turn that follows. Needs
 * `drop-blank-assistants`: a blank answer would otherwise keep white space alive.
 */
export const mergeAssistants: Pass = {
  name: 'merge-assistants',
  reason: 'joined to the assistant turn before it',
  run: (messages) => joinNeighbours(messages, 'assistant'),
};
