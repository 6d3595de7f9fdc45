import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWith, TERMINAL } from '../support/needs.js';
import { freePort, isListening } from '../support/port.js';
import { Script } from '../support/script.js';
import { until } from '../support/until.js';

/** Compiled, this file lies in dist/test/start. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The ways a user may start the server. */
const COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ['npm', 'start'],
  [process.execPath, 'bin/verbatim', 'start'],
];

let temporary: string;
let script: Script | undefined;

beforeAll(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'verbatim-start-'));
});
afterEach(() => script?.endAll());
afterAll(() => rm(temporary, { recursive: true, force: true }));

function start(command: readonly [string, ...string[]], cwd: string, environment: Readonly<Record<string, string>> = {}): Script {
  return (script = Script.start(command, cwd, environment));
}

describe('the server', () => {
  it.each(COMMANDS)('started by %s %s, ends on SIGTERM with all of its processes, and can be started again on its port', async (...command) => {
    const environment = { PORT: String(await freePort()), DATA_DIR: path.join(temporary, 'data'), LOG_LEVEL: 'warn' };
    for (const _ of [1, 2]) {
      const server = start(command, ROOT, environment);
      await server.printed(/ready on http/);
      server.signal('SIGTERM');
      expect(await server.exited).toBe(0);
      await until('its processes have ended', async () => server.left().length === 0);
      expect(await isListening(Number(environment.PORT))).toBe(false);
    }
  });
});

describe('the first start', () => {
  const MAIN = path.join(ROOT, 'dist/src/main.js');
  const isJson = (line: string): boolean => line.startsWith('{');
  const first = async (command: readonly [string, ...string[]], environment: Readonly<Record<string, string>> = {}) => {
    const data = path.join(await mkdtemp(path.join(temporary, 'first-')), 'data');
    const server = start(command, ROOT, { PORT: '0', DATA_DIR: data, TERM: 'xterm', ...environment });
    await server.printed(/curl [^\r\n]*\r?\n/);
    server.signal('SIGTERM');
    await server.exited;
    const lines = server.output.split(/\r?\n/).filter((line) => line !== '');
    return { lines, token: (await readFile(path.join(data, 'dev-token'), 'utf8')).trim() };
  };

  it('prints one link before anything else to do, no token, and a short command; the log is JSON', async () => {
    const { lines, token } = await first([process.execPath, MAIN]);
    const banner = lines.filter((line) => !isJson(line));
    expect(banner.join('\n')).not.toContain(token);
    expect(banner.findIndex((line) => line.includes('#vbc_'))).toBeLessThan(banner.findIndex((line) => /docs|curl/.test(line)));
    expect(banner.filter((line) => line.includes('#vbc_'))).toHaveLength(1);
    expect(banner.filter((line) => line.length > 200)).toEqual([]);
    const log = lines.filter(isJson).map((line) => JSON.parse(line));
    expect(log[0]).toMatchObject({ level: 'info', msg: expect.stringContaining('Creating the embedded database') });
  });

  itWith(TERMINAL)('writes no JSON to a terminal, unless it is told to', async () => {
    const atTerminal = ['script', '-qefc', `${process.execPath} ${MAIN}`, '/dev/null'] as const;
    const { lines } = await first([...atTerminal]);
    expect(lines.filter(isJson)).toEqual([]);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info +\[Start\] Creating the embedded database/);
    expect((await first([...atTerminal], { LOG_FORMAT: 'json' })).lines.some(isJson)).toBe(true);
  });
});

/** A project with these scripts, and a server that is compiled in no time. */
describe('the script', () => {
  let project: string;
  let port: string;

  const MAIN = `
import { createServer } from 'node:http';

const server = createServer().listen(Number(process.env['PORT']), '127.0.0.1', () => console.log('ready'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.close(() => process.exit(7)));
`;

  const command = (says: string): string => `export const run = (args: readonly string[]): void => console.log('${says}', args.join(' '));\n`;

  beforeAll(async () => {
    project = path.join(temporary, 'project');
    for (const name of ['bin', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.start.json']) {
      await cp(path.join(ROOT, name), path.join(project, name), { recursive: true });
    }
    await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'));
    await mkdir(path.join(project, 'src/cli'), { recursive: true });
    await writeFile(path.join(project, 'src/main.ts'), MAIN);
    await writeFile(path.join(project, 'src/cli/tenant.ts'), command('tenant'));
    port = String(await freePort());
  });

  describe.each(COMMANDS)('%s %s', (...command) => {
    it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('leaves no process when it gets a %s', async (signal) => {
      const server = start(command, project, { PORT: port });
      await server.printed(/^ready$/m);
      server.signal(signal);
      await server.exited;
      await until('its processes have ended', async () => server.left().length === 0);
      expect(await isListening(Number(port))).toBe(false);
    });

    it("exits with the server's code", async () => {
      const server = start(command, project, { PORT: port });
      await server.printed(/^ready$/m);
      server.signal('SIGTERM');
      expect(await server.exited).toBe(7);
    });

    it('leaves no compiler when it gets a SIGTERM before the server runs', async () => {
      const configuration = path.join(project, 'tsconfig.build.json');
      await rm(configuration);
      execFileSync('mkfifo', [configuration]); // reading it waits for a writer that never comes
      try {
        const compiling = start(command, project, { PORT: port });
        await compiling.printed(/^Compiling…$/m);
        compiling.signal('SIGTERM');
        expect(await compiling.exited).not.toBe(0);
        await until('its processes have ended', async () => compiling.left().length === 0);
      } finally {
        await rm(configuration);
        await cp(path.join(ROOT, 'tsconfig.build.json'), configuration);
      }
    });
  });

  it('compiles what changed, and says so; it compiles nothing when nothing changed', async () => {
    const tenant = async (...words: string[]): Promise<string> => {
      const started = start([process.execPath, 'bin/verbatim', 'tenant', ...words], project);
      expect([await started.closed, started.output]).toEqual([0, expect.stringContaining('tenant ')]);
      return started.output;
    };
    const compiled = path.join(project, 'dist/src/cli/tenant.js');
    await tenant();
    await writeFile(compiled, "export const run = () => console.log('tenant', 'from the output that was there');\n");
    // Nothing is overwritten. On a slow machine it says "Compiling…" before it knows.
    expect((await tenant('one', 'two')).replaceAll(/^Compil.*\n/gm, '')).toBe('tenant from the output that was there\n');
    await writeFile(path.join(project, 'src/cli/tenant.ts'), command('tenant changed'));
    expect(await tenant('one', 'two')).toContain('tenant changed one two\n');
  });

  describe('npm run dev', () => {
    const startDev = async (): Promise<Script> => {
      const server = start(['npm', 'run', 'dev'], project, { PORT: port });
      await server.printed(/Watching for file changes/);
      await server.printed(/\bready$/m); // on a line that the compiler has begun, if it comes between two writes of that
      return server;
    };

    it.each(['SIGTERM', 'SIGHUP'] as const)('leaves no process when it gets a %s', async (signal) => {
      const server = await startDev();
      server.signal(signal);
      await server.exited;
      await until('its processes have ended', async () => server.left().length === 0);
      expect(await isListening(Number(port))).toBe(false);
    });

    it('restarts the server when a source changed', async () => {
      const server = await startDev();
      await writeFile(path.join(project, 'src/main.ts'), MAIN.replace("'ready'", "'changed'"));
      await server.printed(/\bchanged$/m);
      server.signal('SIGTERM');
      await server.exited;
      await writeFile(path.join(project, 'src/main.ts'), MAIN);
    });
  });

  it('shows what does not compile, and exits with an error', async () => {
    const broken = path.join(project, 'src/broken.ts');
    await writeFile(broken, 'const = 1;\n');
    try {
      const command = start([process.execPath, 'bin/verbatim', 'tenant'], project);
      expect(await command.closed).not.toBe(0);
      expect(command.output).toContain('src/broken.ts(1,7): error');
      expect(command.output).not.toContain('tenant ');
    } finally {
      await rm(broken);
    }
  });
});
