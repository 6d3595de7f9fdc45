import { expect, it } from '@jest/globals';
import path from 'node:path';
import { classesIn } from './support/classes.js';
import { ROUTES } from './support/documented.js';

/** Routes in another file than the one of their resource, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'DELETE /v1/sessions/:id': 'erasure/erasures: what erases lies together, and no feature imports another',
  'DELETE /v1/sessions/:id/messages/:uuid': 'erasure/erasures: as above',
  'DELETE /v1/users/:userId/content': 'erasure/user-erasures: as above',
  'GET /v1/shared/blobs/:sha256': 'links/shared: a link shows a conversation with its files',
  'GET /v1/ui/chat/:chatId/stream': 'ui-chat/ui-chat: the AI SDK says what the routes of a chat are',
  'DELETE /v1/ui/chat/:chatId/stream': 'ui-chat/ui-chat: as above',
};

/** Folders of several resources that no path names, and why. */
const TOPICS: Readonly<Record<string, string>> = {
  erasure: 'erasing, and the hold that prevents it',
  proofs: 'audits and the transparency log',
  transfer: 'export and imports: one format',
};

const isParameter = (part = ''): boolean => /^[:*]/.test(part);

/** What a file of the resource may be called, at the end of a path: `forks` or `session-forks`. */
function namesOf(parts: readonly string[]): readonly string[] {
  const words = parts.flatMap((part, index) => (isParameter(part) ? [] : [isParameter(parts[index + 1]) ? part.replace(/s$/, '') : part]));
  return words.map((_, from) => words.slice(from).join('-'));
}

/**
 * The resource of a route, of those that there are files for: the last one in its path. What follows it is a part of it (`log/checkpoint`), or, after a parameter, something that
 * is done to it (`POST sessions/:id/close`).
 */
function resourceOf(method: string, routePath: string, files: ReadonlySet<string>): string | null {
  const parts = routePath.split('/').slice(1);
  for (let end = parts.length; end > 0; end -= 1) {
    const name = isParameter(parts[end - 1]) ? undefined : namesOf(parts.slice(0, end)).find((candidate) => files.has(candidate));
    if (name === undefined) continue;
    const after = parts.slice(end);
    const actions = after.filter((part, index) => !isParameter(part) && after.slice(0, index).some((before) => isParameter(before)));
    return actions.length === 0 || (actions.length === 1 && method === 'POST') ? name : null;
  }
  return null;
}

const controllers = classesIn('features').then((classes) => classes.filter(({ file }) => file.endsWith('.controller.ts')));
const nameOf = (file: string): string => path.basename(file, '.controller.ts');
const folderOf = (file: string): string => path.basename(path.dirname(file));

it('each route lies in the file that has the name of its resource', async () => {
  const files = new Map((await controllers).map(({ type, file }) => [type.name, file]));
  expect(files.size).toBe((await controllers).length);
  const names = new Set([...files.values()].map(nameOf));
  const wrong = ROUTES.flatMap(({ method, path: routePath, handler }) => {
    const route = `${method} ${routePath}`;
    const file = files.get(handler.split('.')[0]!)!;
    const expected = ELSEWHERE[route]?.split(':')[0] ?? null;
    if (expected !== null) return expected === `${folderOf(file)}/${nameOf(file)}` ? [] : [`${route}: ${file}, not ${expected}`];
    const resource = resourceOf(method, routePath, names);
    return resource === nameOf(file) ? [] : [`${route}: ${file} ${resource === null ? 'is not named as its path' : `instead of ${resource}.controller.ts`}`];
  });
  expect(wrong).toEqual([]);
  const routes = new Set(ROUTES.map(({ method, path: routePath }) => `${method} ${routePath}`));
  expect(Object.keys(ELSEWHERE).filter((route) => !routes.has(route))).toEqual([]);
});

it('each folder of a feature has the name of a resource in it', async () => {
  const files = (await controllers).map(({ file }) => file);
  const folders = [...new Set(files.map(folderOf))];
  const wrong = folders.filter((folder) => !(folder in TOPICS) && !files.some((file) => folderOf(file) === folder && nameOf(file) === folder));
  expect(wrong).toEqual([]);
  expect(Object.keys(TOPICS).filter((topic) => !folders.includes(topic))).toEqual([]);
});
