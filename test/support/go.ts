import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Need } from './needs.js';

const PACKAGES = '/usr/share/gocode';
const SUMDB = `${PACKAGES}/src/golang.org/x/mod/sumdb/tlog`;
const PROGRAM = fileURLToPath(new URL('../../../test/transparency/verify.go', import.meta.url));

/** The Go compiler with the packages of the Go checksum database, from Debian. */
export const GO: Need = { isMet: existsSync(SUMDB) && existsSync('/usr/bin/go'), remedy: 'install golang-go and golang-golang-x-mod-dev' };

/** Compiles and runs test/transparency/verify.go without a network; resolves to its standard output. */
export async function verifyInGo(folder: string, ...words: readonly string[]): Promise<string> {
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    GOPATH: PACKAGES,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOCACHE: `${folder}/cache`,
    GOPROXY: 'off',
  };
  const { stdout } = await promisify(execFile)('go', ['run', PROGRAM, ...words], { env: environment, maxBuffer: 1 << 26 });
  return stdout;
}
