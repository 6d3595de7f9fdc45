import { describe, expect, it } from '@jest/globals';
import { LIST_PRICES } from '../../../packages/normalizer/models/prices.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { emptyState, type SessionState } from './state.js';
import { usageIn } from './usage.js';

const OWNER = 'owner';
const SPEAKER = 'speaker';

function state(): SessionState {
  const given = emptyState();
  given.ownerId = OWNER;
  given.settings = { ...given.settings, model: 'claude-opus-5-20260724' };
  given.prompts.set('p', { by: SPEAKER, submission: {} } as never);
  given.turns.set('t', { promptId: 'p' } as never);
  given.requests.set('r', { sent: { profile: 'claude-opus-5/anthropic' } } as never);
  return given;
}

const acting = (userId: string, tokenId: string | null = null) => ({ userId, tokenId });
const completed = (usage: object): NewEvent =>
  ({ type: 'request.completed', data: { requestId: 'r', turnId: 't', usage, providerRequestId: null, stopReason: 'end_turn', durationMs: 1 } }) as NewEvent;
const prompt = { type: 'prompt.submitted', data: { submission: {}, disposition: 'queued' } } as unknown as NewEvent;

describe('the usage of an append', () => {
  it('counts a prompt for the user who submits it', () => {
    expect(usageIn(state(), acting(SPEAKER), [prompt, prompt], LIST_PRICES)).toMatchObject([
      { userId: SPEAKER, model: 'claude-opus-5', prompts: 2, requests: 0, inputTokens: 0, cost: 0 },
    ]);
  });

  it('counts a request for the user of its prompt, not for the worker or the owner', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    };
    expect(usageIn(state(), acting('worker'), [completed(usage), completed(usage)], LIST_PRICES)).toEqual([
      {
        userId: SPEAKER,
        model: 'claude-opus-5',
        prompts: 0,
        requests: 2,
        inputTokens: 20,
        outputTokens: 40,
        cacheReadTokens: 60,
        cacheCreationTokens: 200,
        cost: 2 * (10 * 5_000 + 20 * 25_000 + 30 * 500 + 60 * 6_250 + 40 * 10_000),
      },
    ]);
  });

  it('takes counts that are no counts for zero, and never more than fits', () => {
    const [entry] = usageIn(state(), acting('worker'), [completed({ input_tokens: -1, output_tokens: 1.5, cache_read_input_tokens: null })], LIST_PRICES);
    expect(entry).toMatchObject({ requests: 1, inputTokens: 0, outputTokens: 0, cost: 0 });
    const [huge] = usageIn(state(), acting('worker'), [completed({ input_tokens: 1e300, output_tokens: 1e15 })], LIST_PRICES);
    expect(Number.isSafeInteger(huge?.cost)).toBe(true);
  });

  it('names the token that the prompt was submitted with, and that of a client whose request has no turn', () => {
    const limited = state();
    limited.prompts.set('p', { by: SPEAKER, submission: { tokenId: 'token' } } as never);
    const asked = { type: 'prompt.submitted', data: { submission: { tokenId: 'token' }, disposition: 'queued' } } as unknown as NewEvent;
    expect(usageIn(limited, acting('worker'), [asked, completed({ input_tokens: 1 }), prompt], LIST_PRICES)).toMatchObject([
      { userId: 'worker', tokenId: 'token', prompts: 1 },
      { userId: SPEAKER, tokenId: 'token', requests: 1 },
      { userId: 'worker', prompts: 1 },
    ]);
    limited.turns.clear();
    expect(usageIn(limited, acting(OWNER, 'key'), [completed({ input_tokens: 1 })], LIST_PRICES)).toMatchObject([{ userId: OWNER, tokenId: 'key' }]);
    expect(usageIn(state(), acting('worker', 'key'), [completed({ input_tokens: 1 })], LIST_PRICES)[0]).not.toHaveProperty('tokenId');
  });

  it('keeps models apart; a title is the usage of the owner', () => {
    const titled = { type: 'session.titled', data: { title: 'x', model: 'something', usage: { input_tokens: 1 } } } as NewEvent;
    expect(usageIn(state(), acting('worker'), [completed({ input_tokens: 1 }), titled], LIST_PRICES).map(({ userId, model }) => [userId, model])).toEqual([
      [SPEAKER, 'claude-opus-5'],
      [OWNER, 'unknown'],
    ]);
  });

  it('is empty for every other event', () => {
    expect(usageIn(state(), acting(OWNER), [{ type: 'session.closed', data: { reason: null } }], LIST_PRICES)).toEqual([]);
  });
});
