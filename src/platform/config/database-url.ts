import { z } from 'zod';

/*
 * Addresses of Postgres as libpq writes them: `postgresql://user:password@first:5432,second:5433/database?target_session_attrs=read-write`. A URL of the web has one host: here is what
 * this process needs to know about several.
 */

/** Of `target_session_attrs`: this process writes, so no other is of use. Either is the default for several hosts. */
const WRITABLE: readonly string[] = ['read-write', 'primary'];

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

interface Parts {
  readonly head: string;
  /** As written: `first:5432,second:5433`. */
  readonly hosts: string;
  readonly tail: string;
}

function split(url: string): Parts {
  const [, head, hosts, tail] = PARTS.exec(url) ?? [];
  if (head === undefined) throw new TypeError('not a URL of Postgres');
  return { head, hosts: hosts!, tail: tail! };
}

/** The URL of each host, in order. */
export function hostUrls(url: string): readonly string[] {
  const { head, hosts, tail } = split(url);
  if (hosts !== '') return hosts.split(',').map((host) => head + host + tail);
  // Without a host, hosts and ports may be parameters; a host is then usually the folder of a socket.
  const one = new URL(url);
  const [names, ports] = ['host', 'port'].map((name) => one.searchParams.get(name)?.split(',') ?? []) as [string[], string[]];
  if (names.length < 2) return [url];
  return names.map((name, index) => {
    const each = new URL(url);
    each.searchParams.set('host', name);
    const port = ports[index] ?? ports[0];
    if (port !== undefined) each.searchParams.set('port', port);
    return each.href;
  });
}

/** The URL with its parts besides the hosts changed by `edit`. */
export function editDatabaseUrl(url: string, edit: (one: URL) => void): string {
  const { head, hosts, tail } = split(url);
  const one = new URL(head + hosts.split(',')[0]! + tail);
  edit(one);
  const edited = split(one.href);
  return edited.head + hosts + edited.tail;
}

/** The credentials of `login` at the address of `url`. */
export function loginAt(url: string, login: string): string {
  const from = new URL(hostUrls(login)[0]!);
  const [user, password] = [
    from.searchParams.get('user') ?? decodeURIComponent(from.username),
    from.searchParams.get('password') ?? decodeURIComponent(from.password),
  ];
  return editDatabaseUrl(url, (at) => {
    const isSocket = at.host === '';
    for (const [name, value] of [
      ['user', user],
      ['password', password],
    ] as const) {
      at.searchParams.delete(name);
      if (isSocket && value !== '') at.searchParams.set(name, value);
    }
    if (isSocket) return;
    at.username = encodeURIComponent(user);
    at.password = encodeURIComponent(password);
  });
}

/** Hosts, ports and database of a URL, without credentials. */
export function placeOf(url: string): string {
  const { hosts } = split(url);
  const { pathname, searchParams } = new URL(hostUrls(url)[0]!);
  return `${hosts || (searchParams.get('host') ?? 'the local socket')}${pathname}`;
}

/** Whether each connection has to prove that its server takes writes. */
export function mustBeWritable(url: string): boolean {
  const urls = hostUrls(url);
  return urls.length > 1 || new URL(urls[0]!).searchParams.has('target_session_attrs');
}

/** What is wrong with an address; null: nothing. */
function fault(url: string): string | null {
  if (!PARTS.test(url)) return 'must be a URL that begins with postgresql:// or postgres://';
  const urls = hostUrls(url);
  if (!urls.every((one) => URL.canParse(one))) return 'must be a URL; several hosts are separated by commas: postgresql://user@first:5432,second:5432/database';
  if (urls.length > 1 && urls.some((one) => new URL(one).host === '' && !new URL(one).searchParams.has('host'))) return 'has an empty host in its list';
  const wanted = new URL(urls[0]!).searchParams.get('target_session_attrs');
  if (wanted === null || WRITABLE.includes(wanted)) return null;
  return `target_session_attrs must be ${WRITABLE.join(' or ')}, or left out: this server writes`;
}

export const databaseUrl = z.string().superRefine((url, context) => {
  const message = fault(url);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** Of `target_session_attrs`: which server it is, each read proves. */
const STANDBY: readonly string[] = ['standby', 'prefer-standby', 'any'];

/** Addresses of standbys, as one URL with one or several hosts. */
export const standbyUrl = z.string().superRefine((url, context) => {
  const message = standbyFault(url);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

function standbyFault(url: string): string | null {
  const wanted = PARTS.test(url) && URL.canParse(hostUrls(url)[0]!) ? new URL(hostUrls(url)[0]!).searchParams.get('target_session_attrs') : null;
  if (wanted === null) return fault(url);
  if (!STANDBY.includes(wanted)) return `target_session_attrs must be ${STANDBY.join(' or ')}, or left out: only standbys are read here`;
  return fault(withoutTarget(url));
}

/** The URL of each standby, in order. */
export function standbyUrls(url: string): readonly string[] {
  return hostUrls(withoutTarget(url));
}

const withoutTarget = (url: string): string => editDatabaseUrl(url, ({ searchParams }) => searchParams.delete('target_session_attrs'));
