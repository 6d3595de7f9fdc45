/** The commands of `verbatim`: `usage` is what follows the name, `details` what --help says besides. Each is run by dist/src/cli/<name>.js unless `module` names another. */
export const COMMANDS = {
  start: { does: 'runs the server: API, worker, or both, as ROLE says', module: 'main' },
  dev: { does: 'runs the server, compiles on every change and starts it again (in a checkout only)' },
  tenant: {
    usage: '[--if-none] TENANT USER',
    does: 'creates a tenant with a first user, and prints its admin token, once',
    details: '--if-none: creates and prints nothing when the database has a tenant',
  },
  'sign-in-link': {
    usage: '[TENANT USER]',
    does: 'prints a link that signs a browser in, once',
    details: 'Without arguments, on the embedded database: as the user of the first token',
  },
  verify: {
    usage: 'FILE --key KEY',
    does: 'verifies an export with format=log, without a database or a network',
    details:
      'KEY: the public key of the transparency log (GET /v1/log/key), or a file that has it\nEnds with 0 when everything is proven, 1 when it is not, 2 for wrong arguments',
  },
  log: {
    usage: 'status | continue | begin NAME [--force]',
    does: 'says what is to be done with the transparency log after a restore, and does it',
    details: [
      'status                 what is to be done, if anything',
      'continue               after a move to another server: the same log continues',
      'begin NAME [--force]   a new log, in which each checkpoint names the last known one of the old log',
      'Ends with 0 when it was done or nothing is to be done, 1 when something is left to do, 2 for wrong arguments',
    ].join('\n'),
  },
  'tlog-key': {
    usage: 'NAME',
    does: 'prints a new private key for TLOG_KEY, and its public key on standard error',
    details: 'NAME: of the transparency log, such as chat.example.com/log',
  },
  migrate: {
    does: 'brings the database to the schema of this version, as each start does first',
    details: 'Safe beside servers of the version before. Migrations that run online are left to the servers of this version',
  },
  distribute: {
    usage: '[status [TENANT]]',
    does: 'distributes the rows of tenants over the nodes of a Citus coordinator',
    details: [
      'DATABASE_URL is that of a superuser on the coordinator. Without servers, which are started again after it',
      'May be stopped and repeated: it does what is left, and says what it did',
      'status            the nodes: which is up or away, its shards, tenants and size',
      'status TENANT     the node that has the rows of a tenant',
      'Status runs beside servers, and ends with 1 while a node that it names is away',
    ].join('\n'),
  },
  'erase-tenant': {
    usage: 'TENANT [REASON]',
    does: 'ends the access of every user of a tenant and erases all that they own; again: how far that is',
    details: 'REASON is kept in the logs of the sessions. Ends with 1 when there is no such tenant',
  },
  'freeze-tenant': {
    usage: 'TENANT',
    does: 'keeps all that a tenant owns as it is: reads are answered, changes get 503 (tenant_moving)',
    details: 'May run beside the server, and may be stopped and repeated. Ends when nothing of the tenant can change any more',
  },
  'thaw-tenant': {
    usage: 'TENANT',
    does: 'ends the freeze of a tenant',
    details: 'Of one that was moved to another deployment, erase what is left instead: verbatim erase-tenant thaws it by itself',
  },
  'export-tenant': {
    usage: 'TENANT > FILE',
    does: 'writes all that a frozen tenant owns, with proofs and a signed note, to standard output',
    details: 'The note is printed on standard error. A file whose last line is no note is not complete',
  },
  'restore-tenant': {
    usage: 'FILE --key KEY',
    does: 'restores the export of a tenant in another deployment, all of it or nothing',
    details:
      'FILE: - for standard input\nKEY: the public key of the transparency log of the source (GET /v1/log/key there), or a file that has it\nEnds with 1 when the tenant is here already, or something in the file is not what was recorded, which it names',
  },
  'rewrap-keys': {
    does: 'wraps the data keys of all sessions and files with the current key of the settings',
    details: 'May run beside the server. Ends with 1 when a key is missing: what it wraps is left as it is',
  },
  'move-blobs': {
    does: 'moves the bytes of files from the database to the object storage of BLOB_STORE',
    details: 'May run beside the server, and may be stopped and repeated. Ends with 1 when files were left in the database, 2 without BLOB_STORE',
  },
  'restore-sessions': {
    does: 'brings the logs of all archived sessions back from the object storage of BLOB_STORE to the database',
    details: 'May run beside the server, and may be stopped and repeated. Ends with 1 when a log could not be brought back',
  },
  'encryption-status': {
    does: 'counts the sessions with messages or prompts in plain text',
    details: 'May run beside the server. Ends with 1 when encryption is on and there are some',
  },
};

export function usageOf(name) {
  return `Usage: ${['verbatim', name, COMMANDS[name].usage].filter(Boolean).join(' ')}\n`;
}

export function helpOf(name) {
  const { does, details } = COMMANDS[name];
  return `${usageOf(name)}\nIt ${does}.\n${details ? `\n${details.replaceAll(/^/gm, '  ')}\n` : ''}`;
}

export function help() {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}`);
  return `Usage: verbatim COMMAND [ARGUMENTS]\n\n${lines.join('\n')}\n\nSettings are environment variables (.env.example). \`verbatim COMMAND --help\` says more.\n`;
}
