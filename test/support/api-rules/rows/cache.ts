import { answered, assistant, marked, request, result, text, tool, use, user, type Row } from '../row.js';

const q = user(text('q'));
const FIVE = [1, 2, 3, 4, 5].map((n) => text(`part ${n}`, marked()));
const WEB_FETCH = { type: 'web_fetch_20260318', name: 'web_fetch' };
const cachedText = (value: string): object => text(value, marked());
const cachedTexts = (count: number): readonly object[] => Array.from({ length: count }, (_, index) => cachedText(`t${index}`));
const cachedDocument = (count: number): object => ({ type: 'document', source: { type: 'content', content: cachedTexts(count) } });
const cachedHit = (count: number): object => ({ type: 'search_result', source: 's', title: 't', content: cachedTexts(count) });
const fetching = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: { url: 'https://example.com' } };
const fetched = (count: number): object => ({
  type: 'web_fetch_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: { type: 'web_fetch_result', url: 'https://example.com', content: cachedDocument(count) },
});

export const CACHE: readonly Row[] = [
  {
    rule: 'cached-empty-text',
    body: request([user(text('q'), text('', marked()))]),
    fixed: request([user(text('q', marked()))]),
    at: 'messages.0.content.1',
    text: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
  },
  {
    rule: 'too-many-cache-markers',
    body: request([user(...FIVE)]),
    fixed: request([user(...FIVE.slice(1))]),
    at: 'messages.0.content.4',
    text: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'too-many-cache-markers',
    when: 'the request has one as well',
    body: request([user(...FIVE.slice(1))], marked('5m')),
    fixed: request([user(...FIVE.slice(2))], marked('5m')),
    at: 'cache_control',
    text: '[stand-in] cache_control: automatic caching needs one marker, but 4 blocks already have one, which is the maximum',
  },
  {
    rule: 'cache-ttl-conflict',
    body: request([user(text('q', marked('1h')))], marked('5m')),
    fixed: request([user(text('q', marked('1h')))], marked('1h')),
    at: 'cache_control',
    text: '[stand-in] cache_control: the ttl must equal the ttl of the cache_control on the last block',
  },
  {
    rule: 'cache-ttl-order',
    body: request([user(text('q', marked('1h')))], { tools: [tool('look', marked('5m'))] }),
    fixed: request([user(text('q', marked('5m')))], { tools: [tool('look', marked('1h'))] }),
    at: 'messages.0.content.0.cache_control.ttl',
    text: "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
  },
  {
    rule: 'too-many-cache-markers',
    when: 'they are inside a document',
    body: request([user(cachedDocument(5))]),
    fixed: request([user(cachedDocument(4))]),
    at: 'messages.0.content.0.source.content.4',
    text: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'too-many-cache-markers',
    when: 'they are in a document inside the result of a tool',
    body: request(answered([use('a')], result('a', { content: [cachedDocument(5)] }))),
    fixed: request(answered([use('a')], result('a', { content: [cachedDocument(4)] }))),
    at: 'messages.2.content.0.content.0.source.content.4',
    text: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'too-many-cache-markers',
    when: 'they are in a search result inside the result of a tool',
    body: request(answered([use('a')], result('a', { content: [cachedHit(5)] }))),
    fixed: request(answered([use('a')], result('a', { content: [cachedHit(4)] }))),
    at: 'messages.2.content.0.content.0.content.4',
    text: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'too-many-cache-markers',
    when: 'they are in a fetched document',
    body: request([q, assistant(fetching, fetched(5), text('a')), q], { tools: [WEB_FETCH] }),
    fixed: request([q, assistant(fetching, fetched(4), text('a')), q], { tools: [WEB_FETCH] }),
    at: 'messages.1.content.1.content.content.source.content.4',
    text: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
];
