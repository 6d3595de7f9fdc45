/** Names of models, or beginnings of names followed by `*`. */
export type ModelNames = readonly string[];

/** Which models may be asked; an absent list is all. `users`: lists of single users, by id, each instead of `user`. */
export interface ModelAccess {
  readonly tenant?: ModelNames;
  readonly user?: ModelNames;
  readonly users?: Readonly<Record<string, ModelNames>>;
}

export interface ModelList {
  readonly scope: 'tenant' | 'user';
  readonly names: ModelNames;
}

/** The lists that bind a user, the tenant's first: a model must be in each of them. */
export function modelLists({ tenant, user, users = {} }: ModelAccess, userId: string): readonly ModelList[] {
  const own = (Object.hasOwn(users, userId) ? users[userId] : undefined) ?? user;
  return [
    ...(tenant === undefined ? [] : [{ scope: 'tenant' as const, names: tenant }]),
    ...(own === undefined ? [] : [{ scope: 'user' as const, names: own }]),
  ];
}

/** Whether a list has a model. An empty text is no model. */
export const hasModel = ({ names }: ModelList, model: string): boolean =>
  names.some((name) => (name.endsWith('*') ? model !== '' && model.startsWith(name.slice(0, -1)) : model === name));
