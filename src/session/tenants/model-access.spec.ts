import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasModel, type ModelAccess, modelLists } from './model-access.js';

const ANN = 'ann';
/** The list that does not have the model. */
const missingIn = (access: ModelAccess, userId: string, model: string) => modelLists(access, userId).find((list) => !hasModel(list, model)) ?? null;
const mayAsk = (...given: Parameters<typeof missingIn>): boolean => missingIn(...given) === null;

describe('the models that a user may ask', () => {
  it('are all without a list', () => {
    expect(mayAsk({}, ANN, 'any')).toBe(true);
    expect(modelLists({ users: { bob: [] } }, ANN)).toEqual([]);
  });

  it('are none with an empty list', () => expect(missingIn({ user: [] }, ANN, 'any')).toEqual({ scope: 'user', names: [] }));

  it('are those that both lists have, the own list of a user in place of the one of all users', () => {
    const access = { tenant: ['claude-haiku-*', 'claude-opus-5'], user: ['claude-haiku-*'], users: { [ANN]: ['claude-*'] } };
    expect(mayAsk(access, ANN, 'claude-opus-5')).toBe(true);
    expect(missingIn(access, 'bob', 'claude-opus-5')).toMatchObject({ scope: 'user' });
    expect(missingIn(access, ANN, 'claude-opus-5-1')).toMatchObject({ scope: 'tenant' });
    expect(mayAsk(access, 'bob', 'claude-haiku-4-5-20251001')).toBe(true);
    expect(mayAsk(access, 'constructor', 'claude-haiku-4-5')).toBe(true);
  });

  it('are those that the list of the token has, too', () => {
    const access = { user: ['claude-*'], tokens: { key: ['claude-haiku-*'] } };
    expect(modelLists(access, ANN, 'key').find((list) => !hasModel(list, 'claude-opus-5'))).toMatchObject({ scope: 'token' });
    expect(modelLists(access, ANN, 'other')).toHaveLength(1);
    expect(modelLists(access, ANN, 'constructor')).toHaveLength(1);
  });

  it('are named exactly, or by how their names begin', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (name, model) => {
        expect(mayAsk({ tenant: [`${name}*`] }, ANN, model)).toBe(model.startsWith(name));
        expect(mayAsk({ tenant: [name] }, ANN, model)).toBe(name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : model === name);
      }),
    );
    expect(mayAsk({ tenant: ['*'] }, ANN, '')).toBe(false); // a request without a model
  });
});
