import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in dist/test/fault/support. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A text of a compiled file, and what it becomes. */
export type BuildChange = readonly [file: string, from: RegExp, to: string];

/** What the next release changes: the pipeline's version, and the shape of an event, which this build therefore cannot read. */
export const NEXT_RELEASE: readonly BuildChange[] = [
  ['packages/protocol/version.js', /VERSION = '[^']+'/, "VERSION = '99.0.0'"],
  ['packages/normalizer/build-payload.js', /NORMALIZER = '[^']+'/, "NORMALIZER = '99'"],
  ['packages/protocol/events/turn-events.js', /'turn\.prepared': event\(\{/, "'turn.prepared': event({ upcasts: [(data) => data],"],
];

/** A release with other passes, texts, limits and cache markers, and another form of a body. */
export const OTHER_PASSES: readonly BuildChange[] = [
  ['packages/normalizer/build-payload.js', /NORMALIZER = '[^']+'/, "NORMALIZER = '99'"],
  ['packages/normalizer/passes/separate-texts.js', /text: `\\n\$/, 'text: `\\n\\n(a later text)\\n$'],
  ['packages/normalizer/passes/separate-texts.js', /reason: '[^']+'/, "reason: 'another reason'"],
  ['packages/normalizer/passes/index.js', / {4}stripCaller,\n/, ''],
  ['packages/normalizer/passes/index.js', / {4}mergeAssistants,\n/, ''],
  ['packages/normalizer/placeholders.js', /\(the tool failed and gave no text\)/, '(it failed)'],
  ['packages/normalizer/assemble.js', /MARKER = \{ type: 'ephemeral' \}/, "MARKER = { type: 'ephemeral', ttl: '1h' }"],
  ['packages/normalizer/assemble.js', /stream: true,/, "stream: true, service_tier: 'auto',"],
  ['packages/protocol/message/wire-texts.js', /REMINDER_OPEN = '[^']+'/, "REMINDER_OPEN = '<note>'"],
  ['packages/normalizer/build-payload.js', /Math\.min\(input\.maxTokens, profile\.maxOutputTokens\)/, '777'],
];

/** A release that decides otherwise in every respect: also what the conversation is, so that nothing of it can be continued. */
export const OTHER_RULES: readonly BuildChange[] = [
  ...OTHER_PASSES,
  ['src/session/payload/conversation.js', /return carried\.length === 0 \? messages/, 'return carried.length === 0 ? messages.slice(-1)'],
];

/** A build that records another digest than that of the body it sent. */
export const WRONG_DIGEST: BuildChange = ['packages/normalizer/build-payload.js', /digest: sha256\(bytes\)/, "digest: sha256(bytes + ' ')"];

/** A build that records messages of an earlier request that it does not have. */
export const WRONG_KEEP: BuildChange = ['packages/normalizer/record-body.js', /messages: \{ keep,/, 'messages: { keep: keep === 0 ? 0 : keep + 5,'];

/** Copies this build into `directory` and makes it the next release; returns its main file. */
export const nextBuild = (directory: string): Promise<string> => changedBuild(directory, NEXT_RELEASE);

/** Those changes whose text the compiled file does not contain. */
export async function staleChanges(changes: readonly BuildChange[]): Promise<readonly string[]> {
  const texts = await Promise.all(changes.map(([file]) => readFile(path.join(ROOT, 'dist', file), 'utf8')));
  return changes.filter(([, from], index) => !from.test(texts[index]!)).map(([file, from]) => `${file} does not contain ${from}`);
}

/** Copies this build into `directory` and changes it; returns its main file. */
export async function changedBuild(directory: string, changes: readonly BuildChange[]): Promise<string> {
  const source = path.join(directory, 'dist');
  await mkdir(source, { recursive: true });
  for (const part of ['packages', 'src']) await cp(path.join(ROOT, 'dist', part), path.join(source, part), { recursive: true });
  for (const name of ['node_modules', 'prisma', 'package.json']) await symlink(path.join(ROOT, name), path.join(directory, name));
  for (const [file, from, to] of changes) {
    const text = await readFile(path.join(source, file), 'utf8');
    if (!from.test(text)) throw new Error(`${file} does not contain ${from}: adapt the changes`);
    await writeFile(path.join(source, file), text.replace(from, to));
  }
  return path.join(source, 'src/main.js');
}
