import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { BASH, CURL, itWith, OPENSSL, SHELL } from '../support/needs.js';
import { type Environment, PATIENT, startTestServer, type TestServer } from '../support/server.js';
import { asPattern, differences, lastJson } from './answers.js';
import { directivesOf, filesOf, isAnswer, isRun, isRunnable, isShell, serverOf } from './directives.js';
import { type Block, blocksOf, pages, ROOT } from './markdown.js';
import { Shell } from './shell.js';

/** In the documentation a server has this address. */
const DOCUMENTED = /http:\/\/(127\.0\.0\.1|localhost):3000/g;
const IS_START = /^(?:[A-Z_]+=\S+ )*npm start$/;
/** Settings that make a page quick, and patient on a loaded machine. */
const QUICK = { TLOG_INTERVAL_MS: '50', ERASURE_INTERVAL_MS: '200', EXPORT_PROOF_WAIT_MS: '60000' };

const all = (await pages()).filter(({ file }) => isRunnable(file));
const documented = all.map((page) => ({ page, blocks: blocksOf(page) })).filter(({ blocks }) => blocks.some(isRun));
/** The definitions with which every page begins. */
const DEFINITIONS = blocksOf(all.find(({ file }) => file === 'docs/README.md')!).find(isShell)!;

let temporary: string;
let shared: TestServer | undefined;
let shell: Shell | undefined;
beforeAll(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'verbatim-docs-'));
});
afterAll(async () => {
  await shell?.kill(); // of a page that took too long
  await shared?.stop();
  await rm(temporary, { recursive: true, force: true });
});

describe('the commands of', () => {
  for (const { page, blocks } of documented) {
    const settings = serverOf(blocks, '');
    const needs = settings !== null && settings !== 'npm start' && settings['TOOLS'] ? [SHELL] : [];
    itWith(BASH, CURL, OPENSSL, ...needs)(`${page.file} do what the page says`, () => walkThrough(page.file, blocks));
  }
});

itWith(BASH)('commands that cannot be run here have the syntax of a shell', () => {
  for (const page of all) {
    for (const block of blocksOf(page).filter((other) => isShell(other) && !isRun(other))) {
      const { stderr } = spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' });
      if (stderr !== '') throw new Error(`${page.file}:${block.line}: ${stderr}`);
    }
  }
});

async function walkThrough(file: string, blocks: readonly Block[]): Promise<void> {
  const folder = path.join(temporary, file.replaceAll('/', '-'));
  await mkdir(path.join(folder, '.data'), { recursive: true });
  for (const { name, text } of filesOf(blocks)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const settings = serverOf(blocks, folder);
  const server = settings === 'npm start' ? null : await serverWith(settings, folder);
  if (server) await writeFile(path.join(folder, '.data/dev-token'), `${(await server.tenant(`tenant of ${file}`)).token}\n`);
  const environment = settings === 'npm start' ? { ...PATIENT, ...QUICK, CURRENT_DATE: 'true' } : { DATABASE_URL: server!.database.ownerUrl, ...settings };
  shell = await Shell.open(folder, environment);
  try {
    const walk = new Walk(file, shell, server?.running.url);
    if (server) await walk.run(`${await readFile(path.join(ROOT, 'test/docs/given.sh'), 'utf8')}\n${DEFINITIONS.text}`, 'The definitions of docs/README.md', 0);
    for (const block of blocks) await walk.take(block);
  } finally {
    await shell.close();
    if (server !== shared) await server?.stop();
  }
}

/** One for all pages without settings. */
async function serverWith(settings: Environment | null, folder: string): Promise<TestServer> {
  return settings === null ? (shared ??= await startTestServer(QUICK)) : startTestServer({ ...QUICK, DATA_DIR: path.join(folder, '.data'), ...settings });
}

/** The way through a page, block by block. */
class Walk {
  #output = '';

  constructor(
    private readonly file: string,
    private readonly shell: Shell,
    /** Of the server; undefined until the page has started one. */
    private url: string | undefined,
  ) {}

  async take(block: Block): Promise<void> {
    const where = `${this.file}:${block.line}`;
    if (isAnswer(block)) return this.#compare(block, where);
    if (!isRun(block)) return;
    const { given, exits } = directivesOf(block);
    for (const command of given) await this.run(command, `What is given at ${where}`, 0);
    if (IS_START.test(block.text)) this.url = await this.shell.start(block.text);
    else this.#output = await this.run(block.text, where, exits);
  }

  async run(script: string, what: string, status: number): Promise<string> {
    const outcome = await this.shell.run(this.#here(script), status !== 0);
    if (outcome.status === status) return outcome.output;
    const ended = outcome.status === null ? 'A command failed' : `The status is ${outcome.status} instead of ${status}`;
    throw new Error(`${what}: ${ended}.\n${script}\n--- output\n${outcome.output}\n--- errors\n${outcome.errors}`);
  }

  #compare(block: Block, where: string): void {
    const expected = this.#here(block.text);
    const found =
      block.language === 'json'
        ? differences(JSON.parse(expected), lastJson(this.#output))
        : asPattern(expected).test(this.#output)
          ? []
          : ['the text is another one'];
    if (found.length > 0) throw new Error(`${where}: ${found.join('; ')}\n--- expected\n${expected}\n--- output\n${this.#output}`);
  }

  #here(text: string): string {
    return this.url === undefined ? text : text.replaceAll(DOCUMENTED, this.url);
  }
}
