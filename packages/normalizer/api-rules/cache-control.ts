import { standIn, type Report } from './problem.js';
import { blocksOf, isObject, listOf, textOf, type JsonObject, type ParsedBlock, type ParsedRequest, type Stage } from './parsed-request.js';

interface Marker {
  /** JSON path of the marked block. */
  readonly at: string;
  readonly ttl: string;
}

/** Cache markers in processing order: tools, system, messages (docs: Prompt caching). */
export const cacheControl: Stage = (request, report) => {
  const markers: Marker[] = [];
  walk(request, markers, report);
  tooMany(markers, request, report);
  ttlOrder(markers, report);
};

/** A result may hold a fetched page, the page a document, and the document texts. The schema permits no deeper nesting. */
const MAX_DEPTH = 3;

function walk({ body, messages }: ParsedRequest, markers: Marker[], report: Report): void {
  const mark = (at: string, block: JsonObject, place: string): void => {
    const marker = block['cache_control'];
    if (!isObject(marker)) return;
    markers.push({ at, ttl: textOf(marker['ttl']) || '5m' });
    if (block['type'] === 'text' && block['text'] === '') {
      const text = `${place}: cache_control cannot be set for empty text blocks`;
      report({ rule: 'cached-empty-text', at, text });
    }
  };
  listOf(body['tools']).forEach((tool, index) => isObject(tool) && mark(`tools.${index}`, tool, `tools.${index}`));
  listOf(body['system']).forEach((block, index) => isObject(block) && mark(`system.${index}`, block, `system.${index}`));
  const visit = (block: ParsedBlock, wire: string, depth: number): void => {
    const { at, type, value } = block;
    if (depth < MAX_DEPTH) for (const inner of blocksIn(block)) visit(inner, `${wire}.${type}.content.${inner.index}`, depth + 1);
    mark(at, value, `${wire}.text`);
  };
  for (const { blocks } of messages) for (const block of blocks) visit(block, block.at, 0);
}

/** The blocks that a block holds: in its content, a list or one block, and in that of its source. */
function blocksIn({ at, message, value: { content, source } }: ParsedBlock): readonly ParsedBlock[] {
  const place = `${at}.content`;
  const held = isObject(content) ? [{ at: place, message, index: 0, type: textOf(content['type']), value: content }] : blocksOf(content, place);
  return isObject(source) ? [...held, ...blocksOf(source['content'], `${at}.source.content`)] : held;
}

function tooMany(markers: readonly Marker[], { body, profile, messages }: ParsedRequest, report: Report): void {
  const max = profile.maxCacheMarkers;
  const surplus = markers[max];
  if (surplus) {
    const text = `A maximum of ${max} blocks with cache_control may be provided. Found ${markers.length}.`;
    report({ rule: 'too-many-cache-markers', at: surplus.at, text });
  }
  // A request-level marker applies to the last block. It counts towards the maximum and must agree with the block's own marker.
  const automatic = body['cache_control'];
  if (!isObject(automatic)) return;
  if (markers.length === max) {
    const text = standIn(`cache_control: automatic caching needs one marker, but ${max} blocks already have one, which is the maximum`);
    report({ rule: 'too-many-cache-markers', at: 'cache_control', text });
  }
  const last = messages.at(-1)?.blocks.at(-1);
  const own = last && markers.find(({ at }) => at === last.at);
  if (own && own.ttl !== (textOf(automatic['ttl']) || '5m')) {
    const text = standIn(`cache_control: the ttl must equal the ttl of the cache_control on the last block`);
    report({ rule: 'cache-ttl-conflict', at: 'cache_control', text });
  }
}

function ttlOrder(markers: readonly Marker[], report: Report): void {
  const short = markers.findIndex(({ ttl }) => ttl === '5m');
  if (short < 0) return;
  for (const { at, ttl } of markers.slice(short)) {
    if (ttl !== '1h') continue;
    const place = `${at}.cache_control.ttl`;
    const text = `${place}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.`;
    report({ rule: 'cache-ttl-order', at: place, text });
  }
}
