import type { Redis } from 'ioredis';

/** The same server, another of its numbered databases: its connections can be told from those of other suites. */
export function databaseOf(url: string, database: number): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

/** Kills the connections to a numbered database, but that of `admin`: all, or those with a line of CLIENT LIST that is meant. */
export async function killClients(admin: Redis, database: number, isMeant: (line: string) => boolean = () => true): Promise<void> {
  const own = await admin.client('ID');
  for (const line of String(await admin.client('LIST')).split('\n')) {
    const id = /^id=(\d+) /.exec(line)?.[1];
    if (id !== undefined && Number(id) !== own && line.includes(` db=${database} `) && isMeant(line)) await admin.call('CLIENT', 'KILL', 'ID', id);
  }
}
