import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { root } from './run.mjs';

const OUTPUT = path.join(root, 'dist/console');
/** What the built files are made from: the page verifies logs and reads session files with the code of the server. The client is bundled from its sources, so that the console does not wait for its compile. */
const SOURCES = [
  'web/src',
  'packages',
  'src/session',
  'src/features/transfer/plan-import.ts',
  'web/index.html',
  'web/favicon.svg',
  'web/package.json',
  'clients/typescript/src',
  'scripts/console.mjs',
];
const COMPRESSED = new Set(['.js', '.css', '.html', '.svg']);

/** Builds the console into dist/console when its sources differ from those of the last build. */
export async function buildConsole() {
  if (!existsSync(path.join(root, 'web/src'))) return;
  const sources = digestOf(SOURCES.flatMap(filesBelow));
  const stamp = path.join(OUTPUT, '.built-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  const making = `${OUTPUT}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  await bundle(making);
  for (const file of readdirSync(making, { recursive: true })) if (COMPRESSED.has(path.extname(file))) compress(path.join(making, file));
  writeFileSync(path.join(making, '.built-from'), sources);
  replace(making);
}

async function bundle(folder) {
  const esbuild = await import('esbuild');
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { console: 'web/src/main.tsx' },
    outdir: path.join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: { '@verbatim/client': './clients/typescript/src/index.ts' },
    logLevel: 'warning',
  });
  const [script] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === 'web/src/main.tsx');
  const first = metafile.outputs[script];
  const at = (file) => `/console/assets/${path.basename(file)}`;
  const links = [
    `<link rel="stylesheet" href="${at(first.cssBundle)}" />`,
    // What the first view needs besides, so that the browser need not read one script to find out about the next.
    ...first.imports.filter(({ kind }) => kind === 'import-statement').map((one) => `<link rel="modulepreload" href="${at(one.path)}" />`),
    `<script type="module" src="${at(script)}"></script>`,
  ];
  const page = readFileSync(path.join(root, 'web/index.html'), 'utf8').replace('<!-- assets -->', links.join('\n    '));
  writeFileSync(path.join(folder, 'index.html'), page);
  writeFileSync(path.join(folder, 'favicon.svg'), readFileSync(path.join(root, 'web/favicon.svg')));
}

function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  // Quality 11 would take ten times as long for 3 % less.
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }));
}

/** Another process may do the same at this moment: the files that are there last are complete, and of the same sources. */
function replace(making) {
  const old = `${making}.old`;
  mkdirSync(path.dirname(OUTPUT), { recursive: true });
  try {
    if (existsSync(OUTPUT)) renameSync(OUTPUT, old);
    renameSync(making, OUTPUT);
  } catch (error) {
    if (!existsSync(OUTPUT)) throw error;
  }
  for (const folder of [old, making]) rmSync(folder, { recursive: true, force: true });
}

function filesBelow(name) {
  const at = path.join(root, name);
  if (!existsSync(at)) return [];
  return path.extname(name) === '' ? readdirSync(at, { recursive: true }).map((file) => path.join(at, file)) : [at];
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files.filter((one) => path.extname(one) !== '').sort()) hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}
