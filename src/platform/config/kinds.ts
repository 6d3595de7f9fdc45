import { z } from 'zod';

/* The kinds of settings: how the text of an environment variable is read and checked. */

/** At most what a timer of Node can wait, 24 days: it takes a longer time for one millisecond. */
export const milliseconds = (fallback: number, max = 2 ** 31 - 1) => z.coerce.number().int().min(1).max(max).default(fallback);
/** Of jobs: the database accepts at most a day. */
export const lease = (fallback: number) => milliseconds(fallback, 12 * 3_600_000);
export const count = (fallback: number, max = 1_000_000) => z.coerce.number().int().min(1).max(max).default(fallback);
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true');
export const share = (fallback: number) => z.coerce.number().gt(0).max(1).default(fallback);
export const text = z.string().min(1).optional();

/** Texts, separated by commas. */
export function textList(fallback = '') {
  return z
    .string()
    .default(fallback)
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );
}

/** The tools of the server's own that can be switched on. */
const TOOL_NAMES = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'Agent'] as const;

export const toolList = textList().pipe(z.array(z.enum(TOOL_NAMES, `there are ${TOOL_NAMES.join(', ')}, separated by commas`)));

const rules = z.array(z.string().min(1)).default([]);

/** A JSON object with permission rules; which of them can be read is checked where rules are known. */
export const permissions = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.issues.push({ code: 'custom', message: 'must be a JSON object such as {"allow":["Read"],"deny":[],"ask":[]}', input: text });
      return z.NEVER;
    }
  })
  .pipe(z.strictObject({ allow: rules, deny: rules, ask: rules }));

export const isLoopbackHost = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Exact: scheme, host and port, as a browser sends it. */
export function origin(message: string) {
  return z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text, message);
}

/** Exact origins: scheme, host and port, as a browser sends them. */
export const originList = textList().pipe(z.array(origin('must be origins such as https://app.example.com, separated by commas')));

export const urlList = textList().pipe(z.array(z.url({ protocol: /^https?$/, error: 'must be http or https addresses, separated by commas' })));

/** Public key and address of each witness; keys are checked where they are used. */
export const witnessList = textList().pipe(
  z.array(
    z
      .string()
      .regex(/^[^+ ]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+ https?:\/\/\S+$/, 'must be public keys, each followed by a space and an address, separated by commas'),
  ),
);

/** Text search configurations that every Postgres has. */
export const SEARCH_LANGUAGES = [
  'simple',
  'arabic',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;
