import type { DataKey } from '../../ports/index.js';

/** Texts in columns of the session list. The first character tells an encrypted one; a text that begins with it is stored with it twice. */
const MARK = '\u0004';

const contextOf = (sessionId: string): string => `text ${sessionId.toLowerCase()}`;

/** Titles are written with every append: the last one of each session is kept. */
const last = new WeakMap<DataKey, { readonly text: string; readonly encrypted: string }>();

export function encryptedText(key: DataKey, sessionId: string, text: string): string {
  const before = last.get(key);
  if (before?.text === text) return before.encrypted;
  const encrypted = MARK + Buffer.from(key.encrypt(Buffer.from(text), contextOf(sessionId))).toString('base64');
  last.set(key, { text, encrypted });
  return encrypted;
}

/** As a text that is not encrypted is stored. */
export const plainText = (text: string): string => (text.startsWith(MARK) ? MARK + text : text);

export const isEncrypted = (text: string | null): boolean => text !== null && text.startsWith(MARK) && !text.startsWith(MARK + MARK);

/** Null without a key: the session was erased since the row was read. */
export function openedText(text: string | null, key: DataKey | undefined, sessionId: string): string | null {
  if (text === null || !isEncrypted(text)) return text?.startsWith(MARK) ? text.slice(1) : text;
  if (!key) return null;
  const content = key.open(Buffer.from(text.slice(1), 'base64'), contextOf(sessionId));
  if (!content) throw new Error(`A text of session ${sessionId} in the session list cannot be opened: the row was changed or damaged.`);
  return Buffer.from(content).toString('utf8');
}
