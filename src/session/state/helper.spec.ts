import { describe, expect, it } from '@jest/globals';
import { answer, prepare, Scene, send, SETTINGS, submit } from '../../../test/support/given-session.js';
import { calling, use } from '../../../test/support/calls.js';
import type { HelperParent } from '../../../packages/protocol/events/events.js';
import { budgetSpent } from './helper-budget.js';
import { helperId, helperResult, helperTurn, isOver } from './helper.js';
import { usageIn } from './usage.js';

const PARENT: HelperParent = { sessionId: 'p', turnId: 'pt', toolUseId: 'c', speaker: 'speaker', depth: 1, tools: [], requests: 2, tokens: 1_000 };

function helper(more: Partial<HelperParent> = {}): Scene {
  const scene = new Scene();
  scene.when({ type: 'CreateSession', settings: { ...SETTINGS, tools: [] }, parent: { ...PARENT, ...more } });
  scene.when(submit(1));
  scene.when(prepare(1));
  scene.when(send(scene, 1));
  return scene;
}

const text = (said: string) => [{ type: 'text' as const, text: said }];

describe('a helper', () => {
  it('has the same id for every worker, and another one for each call and each answer', () => {
    const uuid = '00000000-1111-4111-8111-111111111111';
    const scene = calling(use('a', 'Agent'), use('b', 'Agent'));
    const id = (toolUseId: string, answerUuid = uuid): string => {
      const messages = new Map([...scene.state.messages].map(([key, record]) => [record.message.type === 'assistant' ? answerUuid : key, record]));
      const turn = { ...scene.state.turn!, messages: [...messages.keys()] };
      return helperId({ ...scene.state, messages }, turn, toolUseId);
    };
    expect(id('a')).toBe(id('a'));
    expect(new Set([id('a'), id('b'), id('a', uuid.replaceAll('1', '2'))]).size).toBe(3);
    expect(() => id('c')).toThrow('has the call c');
  });

  it('returns the text of its last answer with one, and says why it ended early', () => {
    const scene = helper();
    const turn = helperTurn(scene.state)!;
    expect(isOver(turn)).toBe(false);
    scene.when(answer(1, text('the word'), 'end_turn'));
    expect(isOver(turn)).toBe(true);
    expect(helperResult(scene.state, turn)).toEqual({ content: 'the word', isError: false });
    expect(helperResult({ ...scene.state, erased: true }, turn)).toEqual({ content: 'The content of the helper was erased.', isError: true });
    for (const [status, begins] of [
      ['refused', 'The model refused'],
      ['interrupted', 'The helper was interrupted'],
      ['failed', 'The helper failed: no luck'],
    ] as const) {
      const error = { code: 'x', message: 'no luck' };
      const result = helperResult(scene.state, { ...turn, status, error });
      expect(result).toMatchObject({ isError: true, content: expect.stringMatching(new RegExp(`^${begins}`)) });
      expect(result.content).toContain('the word');
      expect(helperResult(scene.state, { ...turn, status, error, messages: [] }).content).not.toContain('last text');
    }
    expect(helperResult(scene.state, { ...turn, messages: [] }).content).toBe('The helper has ended without a text.');
    expect(helperTurn(calling(use('a')).state)).toBeNull();
  });

  it('makes requests up to its limits in its own turn only', () => {
    const scene = helper();
    expect(budgetSpent(scene.state)).toBeNull();
    scene.state.turn!.requestIds.push('another');
    expect(budgetSpent(scene.state)).toContain('2 model requests');
    const costly = helper({ tokens: 12 });
    const [first] = costly.state.turn!.requestIds;
    costly.state.requests.get(first!)!.usage = { input_tokens: 3, output_tokens: 4, cache_creation_input_tokens: 5, cache_read_input_tokens: 100 };
    expect(budgetSpent(costly.state)).toContain('used 12 tokens');
    expect(budgetSpent({ ...costly.state, parent: { ...PARENT, tokens: 13 } })).toBeNull();
    expect(budgetSpent({ ...costly.state, parent: null })).toBeNull();
    costly.when(answer(1, text('done'), 'end_turn'));
    costly.when(submit(2));
    expect(budgetSpent(costly.state)).toBeNull();
  });

  it('is counted for the speaker of its parent, later prompts for who writes them', () => {
    const scene = helper();
    const [requestId] = scene.state.turn!.requestIds;
    const completed = { requestId: requestId!, turnId: 't1', usage: { input_tokens: 1 }, providerRequestId: null, stopReason: null, durationMs: 1 };
    const count = (events: Parameters<typeof usageIn>[2]) => usageIn(scene.state, { userId: 'worker', tokenId: null }, events, {} as never);
    expect(count([{ type: 'request.completed', data: completed }])).toMatchObject([{ userId: 'speaker', prompts: 0, requests: 1 }]);
    expect(count(scene.log.slice(0, 3) as never)).toEqual([]);
    expect(count([scene.log[1]!] as never)).toMatchObject([{ userId: 'worker', prompts: 1 }]);
  });
});
