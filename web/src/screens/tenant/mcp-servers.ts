import type { AnswerOf } from '@verbatim/client';
import { HIDDEN } from '../../../../src/session/tenants/hidden-values.ts';
import type { Faults } from './faults.tsx';

export type Servers = AnswerOf<'getSettings'>['mcpServers'];

export interface Header {
  readonly id: string;
  readonly name: string;
  /** Empty, of one that is stored: what is stored stays, which the server never shows. */
  readonly value: string;
  readonly isStored: boolean;
}

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly headers: readonly Header[];
}

let made = 0;
const freshId = (): string => `mcp-${(made += 1)}`;

export const freshServer = (): Server => ({ id: freshId(), name: '', url: '', headers: [] });
export const freshHeader = (): Header => ({ id: freshId(), name: '', value: '', isStored: false });

export const nameField = ({ id }: Server): string => `${id}-name`;
export const urlField = ({ id }: Server): string => `${id}-url`;

export const serversOf = (stored: Servers): readonly Server[] =>
  Object.entries(stored).map(([name, { url, headers = {} }]) => ({
    ...freshServer(),
    name,
    url,
    headers: Object.keys(headers).map((header) => ({ ...freshHeader(), name: header, isStored: true })),
  }));

/** The same servers after they were saved: no value stays in the page. */
export const asStored = (servers: readonly Server[]): readonly Server[] =>
  servers.map((server) => ({ ...server, headers: server.headers.map((header) => ({ ...header, value: '', isStored: true })) }));

/** What the form sends; `isShown`: to be shown, without any value of a header. */
export function bodyOf(servers: readonly Server[], isShown = false): Servers {
  const valueOf = ({ value, isStored }: Header): string => (isShown || (isStored && value === '') ? HIDDEN : value);
  return Object.fromEntries(
    servers.map(({ name, url, headers }) => [
      name.trim(),
      { url: url.trim(), ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((header) => [header.name.trim(), valueOf(header)])) }) },
    ]),
  );
}

/** The field of each JSON pointer that the server may name. */
export function fieldsOf(servers: readonly Server[]): ReadonlyMap<string, string> {
  return new Map(
    servers.flatMap((server): readonly (readonly [string, string])[] => {
      const at = `/mcpServers/${escaped(server.name.trim())}`;
      const headers = server.headers.map(({ id, name }) => [`${at}/headers/${escaped(name.trim())}`, id] as const);
      return [[at, nameField(server)], [`${at}/url`, urlField(server)], ...headers];
    }),
  );
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Names that stand twice: a body has each once, so the server would not see the other. */
export function repeatsIn(servers: readonly Server[]): Faults {
  const names = repeated(servers.map((server) => [nameField(server), server.name.trim()]));
  const headers = servers.flatMap((server) => repeated(server.headers.map(({ id, name }) => [id, name.trim().toLowerCase()])));
  return { at: new Map([...names, ...headers].map((field) => [field, 'is a name that stands here before'])), hasOthers: false };
}

const repeated = (named: readonly (readonly [field: string, name: string])[]): readonly string[] =>
  named.flatMap(([field, name], index) => (named.slice(0, index).some(([, before]) => before === name) ? [field] : []));
