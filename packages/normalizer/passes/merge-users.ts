import type { Pass } from '../pass.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * Roles must alternate where the provider does not merge turns itself: `roles must alternate between "user" and "assistant", but found multiple "user"
 * roles in a row`. Blocks are not merged, so that an earlier request stays a prefix. Needs `attachments-to-user`, `local-command-to-user` and
 * `drop-blank-text`.
 */
export const mergeUsers: Pass = {
  name: 'merge-users',
  reason: 'merged into the user message before it',
  apply: (messages) => joinNeighbours(messages, 'user'),
};
