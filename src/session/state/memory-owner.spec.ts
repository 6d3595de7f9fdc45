import { describe, expect, it } from '@jest/globals';
import { memoryOwner } from './memory-owner.js';
import { emptyState, type SessionState, type Turn } from './state.js';

const OWNER = 'owner';
const NOW = 1_000;

/** A session of the owner in which `by` has written the prompt of the running turn. */
function session(by: string, grants: readonly string[] = []): SessionState {
  return {
    ...emptyState(),
    ownerId: OWNER,
    turn: { promptId: 'p' } as Turn,
    prompts: new Map([['p', { submission: {} as never, submittedAt: '', by, status: 'started', turnId: 't' }]]),
    grants: new Map(grants.map((principal) => [principal, 'viewer'])),
  };
}

describe('the memory that a turn may use', () => {
  it('is that of the owner who wrote the prompt, while no other user has a right to the session', () => {
    expect(memoryOwner(session(OWNER), NOW)).toBe(OWNER);
    expect(memoryOwner(session(OWNER, [`user:${OWNER}`]), NOW)).toBe(OWNER);
    expect(memoryOwner({ ...session(OWNER), readers: new Map([['auditor', NOW]]) }, NOW)).toBe(OWNER);
  });

  it.each<readonly [string, SessionState]>([
    ['another user wrote the prompt', session('editor')],
    ['a user has a grant', session(OWNER, ['user:viewer'])],
    ['a group has a grant', session(OWNER, [`user:${OWNER}`, 'group:support'])],
    ['an auditor reads it in an emergency', { ...session(OWNER), readers: new Map([['auditor', NOW + 1]]) }],
    ['no turn runs', { ...session(OWNER), turn: null }],
    ['the prompt is not known', { ...session(OWNER), prompts: new Map() }],
    ['the session has no owner', { ...session(OWNER), ownerId: null }],
  ])('is none when %s', (_, state) => expect(memoryOwner(state, NOW)).toBeNull());
});
