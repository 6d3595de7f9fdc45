import type { Pass } from '../pass.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * Roles must alternate where the provider does not merge turns itself: `roles must alternate between "user" and "assistant", but found multiple "user"
 * roles in a row`. Blocks stay apart, so that what an earlier request sent stays a prefix. Needs attachments and local commands as user messages, and
 * blank blocks gone.
 */
export const mergeUsers: Pass = {
  name: 'merge-users',
  reason: 'joined to the user turn before it',
  run: (messages) => joinNeighbours(messages, 'user'),
};
