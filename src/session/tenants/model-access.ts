/** Names of models, or beginnings of names followed by `*`. */
export type ModelNames = readonly string[];

/** Which models may be asked; an absent list is all. `users`: lists of single users, by id, each instead of `user`. `tokens`: of single tokens. */
export interface ModelAccess {
  readonly tenant?: ModelNames;
  readonly user?: ModelNames;
  readonly users?: Readonly<Record<string, ModelNames>>;
  readonly tokens?: Readonly<Record<string, ModelNames>>;
}

export interface ModelList {
  readonly scope: 'tenant' | 'user' | 'token';
  readonly names: ModelNames;
}

/** The lists that bind a user and their token, the tenant's first: a model must be in each of them. */
export function modelLists({ tenant, user, users = {}, tokens = {} }: ModelAccess, userId: string, tokenId: string | null = null): readonly ModelList[] {
  const own = (Object.hasOwn(users, userId) ? users[userId] : undefined) ?? user;
  const ofToken = tokenId !== null && Object.hasOwn(tokens, tokenId) ? tokens[tokenId] : undefined;
  const lists = [
    { scope: 'tenant' as const, names: tenant },
    { scope: 'user' as const, names: own },
    { scope: 'token' as const, names: ofToken },
  ];
  return lists.flatMap(({ scope, names }) => (names === undefined ? [] : [{ scope, names }]));
}

/** Whether a list has a model. An empty text is no model. */
export const hasModel = ({ names }: ModelList, model: string): boolean =>
  names.some((name) => (name.endsWith('*') ? model !== '' && model.startsWith(name.slice(0, -1)) : model === name));
