import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterSpace, eachItem, endOfValue } from '../../../packages/protocol/message/json-scan.js';
import { isObject, loose } from '../../../packages/protocol/message/unknown-json.js';

/** Member of the `_meta` of a result. No server knows it, so none can send it. */
const WRITTEN = `verbatim/${randomUUID()}`;

const MEMBER = 'structuredContent';

/**
 * A message of a server as JSON, for the SDK to parse. The parsed structured content has lost the order of members, the form of numbers, digits that a double
 * does not hold, and repeated names. Where that is so, its text goes along in `_meta`, which the SDK passes on; the content itself stays as the SDK knows it.
 */
export function withWrittenContent(message: string): string {
  if (!message.includes(`"${MEMBER}"`)) return message;
  try {
    const value: unknown = JSON.parse(message);
    const result = loose(loose(value)['result']);
    const written = textAt(message, ['result', MEMBER]);
    if (!isObject(value) || written === null || JSON.stringify(result[MEMBER]) === written) return message;
    return JSON.stringify({ ...value, result: { ...result, _meta: { ...loose(result['_meta']), [WRITTEN]: written } } });
  } catch {
    return message; // the SDK reports what is not JSON; what is nested too deeply to be written again is not kept
  }
}

/** The structured content of a result as the server wrote it; null: the parsed value says the same. */
export function writtenContent({ _meta: meta }: CallToolResult): string | null {
  const written = meta?.[WRITTEN];
  return typeof written === 'string' ? written : null;
}

/** The text of the value at a path of member names. The last of repeated members counts, as for a parser. */
function textAt(json: string, path: readonly string[]): string | null {
  let start: number | null = afterSpace(json, 0);
  for (const wanted of path) {
    if (start === null || json[start] !== '{') return null;
    let found: number | null = null;
    eachItem(json, start, ({ name, at }) => {
      if (name === wanted) found = at;
      return endOfValue(json, at);
    });
    start = found;
  }
  return start === null ? null : json.slice(start, endOfValue(json, start));
}
