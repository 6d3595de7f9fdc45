import { readFileSync } from 'node:fs';

function namesIn(file: string, list: RegExp, name: RegExp): readonly string[] {
  const source = readFileSync(`web/src/screens/${file}`, 'utf8');
  const names = [...(list.exec(source)?.[0] ?? '').matchAll(name)].map(([, found]) => found!);
  if (names.length === 0) throw new Error(`web/src/screens/${file} has no list ${list.source} any more.`);
  return names;
}

/** Paths of the tabs of a session below its own, without that of the conversation. */
export const SESSION_VIEWS = namesIn('session-frame.tsx', /^const TABS\b.*?^\];/ms, /name: '([a-z-]+)'/g);

/** Paths of the views of the tenant below `/tenant`, without the first one. */
export const TENANT_VIEWS = namesIn('tenant/screen.tsx', /^const PARTS\b.*?^\]/ms, /^ {2}\['([a-z-]+)'/gm);
