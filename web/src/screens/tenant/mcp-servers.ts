import type { AnswerOf } from '@verbatim/client';
import type { Faults } from './faults.tsx';
import { type Header, headerFields, headerValues, repeated, repeatedHeaders, savedHeaders, storedHeaders } from './headers.ts';
import { pointerSegment } from '../../../../packages/protocol/message/json-pointer.ts';

export type Servers = AnswerOf<'getSettings'>['mcpServers'];

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly headers: readonly Header[];
}

let made = 0;
export const freshServer = (): Server => ({ id: `mcp-${(made += 1)}`, name: '', url: '', headers: [] });

export const nameField = ({ id }: Server): string => `${id}-name`;
export const urlField = ({ id }: Server): string => `${id}-url`;

export const serversOf = (stored: Servers): readonly Server[] =>
  Object.entries(stored).map(([name, { url, headers }]) => ({ ...freshServer(), name, url, headers: storedHeaders(headers) }));

/** The same servers after they were saved: no value stays in the page. */
export const asStored = (servers: readonly Server[]): readonly Server[] => servers.map((server) => ({ ...server, headers: savedHeaders(server.headers) }));

/** What the form sends of a server; `isShown`: to be shown, without any value of a header. */
export const serverBody = ({ url, headers }: Server, isShown = false): Servers[string] => ({ url: url.trim(), ...headerValues(headers, isShown) });

/** What the form sends. */
export const bodyOf = (servers: readonly Server[], isShown = false): Servers =>
  Object.fromEntries(servers.map((server) => [server.name.trim(), serverBody(server, isShown)]));

/** The field of each JSON pointer that the server may name. */
export const fieldsOf = (servers: readonly Server[]): ReadonlyMap<string, string> =>
  new Map(servers.flatMap((server) => fieldsOfServer(server, `/mcpServers/${pointerSegment(server.name.trim())}`)));

/** Those of a server that is at this pointer. */
export const fieldsOfServer = (server: Server, at: string): readonly (readonly [pointer: string, field: string])[] => [
  [at, nameField(server)],
  [`${at}/url`, urlField(server)],
  ...headerFields(server.headers, at),
];

/** Names that stand twice: a body has each once, so the server would not see the other. */
export function repeatsIn(servers: readonly Server[]): Faults {
  const names = repeated(servers.map((server) => [nameField(server), server.name.trim()]));
  const headers = servers.flatMap((server) => repeatedHeaders(server.headers));
  return { at: new Map([...names, ...headers].map((field) => [field, REPEATED])), hasOthers: false };
}

const REPEATED = 'is a name that stands here before';
