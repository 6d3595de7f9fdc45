import type { AnswerOf } from '@verbatim/client';
import { visible } from '../../text/plain.tsx';
import { sectionsInWords } from './section-names.ts';

type User = AnswerOf<'listUsers'>['data'][number];
type Token = AnswerOf<'listTokens'>['data'][number];
type Change = AnswerOf<'listSettingsChanges'>['data'][number];

export const KINDS = ['settings', 'people', 'tokens'] as const;
export type Kind = (typeof KINDS)[number];

/** Something that was done in the tenant, as a sentence without its time. */
export interface Entry {
  readonly key: string;
  readonly kind: Kind;
  readonly at: string;
  /** Null: the sentence says itself whom it is about. */
  readonly actor: string | null;
  readonly text: string;
}

interface Sources {
  readonly users: readonly User[];
  readonly tokens: readonly Token[];
  readonly changes: readonly Change[];
  readonly nameOf: (userId: string) => string;
}

/** What was done, newest first. */
export function entriesOf({ users, tokens, changes, nameOf }: Sources): readonly Entry[] {
  const owners = new Map(tokens.map(({ id, userId }) => [id, userId]));
  const entries: Entry[] = [
    ...changes.map(({ version, changedAt, changedBy, sections }): Entry => ({
      ...{ key: `settings ${version}`, kind: 'settings', at: changedAt },
      ...{ actor: changedBy === null ? 'The server' : nameOf(changedBy), text: `changed ${sectionsInWords(sections)}` },
    })),
    ...users.flatMap((user) => lifeOf(user)),
    ...tokens.map(({ id, name, userId, role, parentId, createdAt }): Entry => {
      const maker = parentId === null ? undefined : owners.get(parentId);
      const token = `${name === null ? 'a token without a name' : `the token “${visible(name)}”`} (${role})`;
      const isOwn = maker === userId;
      return {
        ...{ key: `token ${id}`, kind: 'tokens', at: createdAt, actor: maker === undefined ? nameOf(userId) : nameOf(maker) },
        text: maker === undefined ? `got ${token}` : `made ${token}${isOwn ? '' : ` for ${nameOf(userId)}`}`,
      };
    }),
  ];
  return entries.sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

function lifeOf({ id, name, createdAt, disabledAt, deletedAt }: User): readonly Entry[] {
  const actor = deletedAt === null ? visible(name) : 'A person who is deleted';
  const entry = (what: string, at: string): Entry => ({ key: `${what} ${id}`, kind: 'people', at, actor, text: what });
  return [
    entry('joined', createdAt),
    ...(disabledAt === null ? [] : [entry('was disabled', disabledAt)]),
    ...(deletedAt === null ? [] : [entry('was deleted', deletedAt)]),
  ];
}
