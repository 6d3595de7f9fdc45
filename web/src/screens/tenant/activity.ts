import type { AnswerOf } from '@verbatim/client';
import { plural, preciseTime } from '../../app/words.ts';
import { visible } from '../../text/plain.tsx';
import { sectionsInWords } from './section-names.ts';

type User = AnswerOf<'listUsers'>['data'][number];
type Token = AnswerOf<'listTokens'>['data'][number];
type Change = AnswerOf<'listSettingsChanges'>['data'][number];

type Act = AnswerOf<'listActivity'>['data'][number];

/** What was done to sessions, which the server lists by these kinds. */
export const ACTIVITY_KINDS = ['erasures', 'holds', 'roles', 'links', 'emergency_access'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export const KINDS = ['settings', 'people', 'tokens', ...ACTIVITY_KINDS] as const;
export type Kind = (typeof KINDS)[number];

export const isActivityKind = (kind: string | null): kind is ActivityKind => ACTIVITY_KINDS.some((one) => one === kind);

export const kindInWords = (kind: Kind): string => kind.replace('_', ' ');

/** Something that was done in the tenant, as a sentence without its time. */
export interface Entry {
  readonly key: string;
  readonly kind: Kind;
  readonly at: string;
  /** Null: the sentence says itself whom it is about. */
  readonly actor: string | null;
  readonly text: string;
  /** The session that it was done to, which the text ends with. */
  readonly sessionId?: string;
  /** What follows that. */
  readonly rest?: string;
}

interface Sources {
  readonly users: readonly User[];
  readonly tokens: readonly Token[];
  readonly changes: readonly Change[];
  readonly acts: readonly Act[];
  readonly nameOf: (userId: string) => string;
}

/** What was done, newest first. */
export function entriesOf({ users, tokens, changes, acts, nameOf }: Sources): readonly Entry[] {
  const owners = new Map(tokens.map(({ id, userId }) => [id, userId]));
  const entries: Entry[] = [
    ...changes.map(({ version, changedAt, changedBy, sections }): Entry => ({
      ...{ key: `settings ${version}`, kind: 'settings', at: changedAt },
      ...{ actor: changedBy === null ? 'The server' : nameOf(changedBy), text: `changed ${sectionsInWords(sections)}` },
    })),
    ...users.flatMap((user) => lifeOf(user)),
    ...acts.filter(isFirstSeen()).map((act) => actOf(act, nameOf)),
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

/** An erasure in several steps is one entry: its newest step. */
function isFirstSeen(): (act: Act) => boolean {
  const seen = new Set<string>();
  return ({ erasureId }) => erasureId === null || (!seen.has(erasureId) && seen.add(erasureId) !== null);
}

function actOf(act: Act, nameOf: (userId: string) => string): Entry {
  const { id, at, by, sessionId } = act;
  const [kind, text, rest] = sentenceOf(act, nameOf);
  const actor = by !== null ? nameOf(by) : kind === 'links' ? 'A person who is not known' : 'The server';
  return { key: `${act.act} ${id}`, kind, at, actor, text, ...(sessionId === null ? {} : { sessionId }), ...(rest === undefined ? {} : { rest }) };
}

function sentenceOf(act: Act, nameOf: (userId: string) => string): readonly [kind: ActivityKind, text: string, rest?: string] {
  const whom = principalOf(act.principal, nameOf);
  switch (act.act) {
    case 'session_erased':
      return ['erasures', 'erased the content of'];
    case 'messages_erased':
      return ['erasures', act.messages === null ? 'erased messages of' : `erased ${plural(act.messages, 'message')} of`];
    case 'user_content_erased':
      return ['erasures', `had all erased that ${act.userId === null ? 'a person' : nameOf(act.userId)} owns`];
    case 'hold_placed':
      return ['holds', 'placed a legal hold on'];
    case 'hold_released':
      return ['holds', 'released the legal hold of'];
    case 'role_given':
      return ['roles', `gave ${whom} ${act.role === null ? 'a role' : `the role ${act.role}`} in`];
    case 'role_taken':
      return ['roles', `took the role of ${whom} away in`];
    case 'link_created':
      return ['links', 'made a link to'];
    case 'link_revoked':
      return ['links', 'revoked a link to'];
    case 'emergency_access':
      return ['emergency_access', 'got emergency access to', act.until === null ? undefined : `, until ${preciseTime(act.until)}`];
    default:
      return ['erasures', `did what this page does not know (${visible(String(act.act))}) in`];
  }
}

function principalOf(principal: string | null, nameOf: (userId: string) => string): string {
  if (principal === null) return 'a group';
  return principal.startsWith('user:') ? nameOf(principal.slice('user:'.length)) : `the group ${visible(principal.replace(/^group:/, ''))}`;
}
