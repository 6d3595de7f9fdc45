import { isBlank, isObject } from '../../../protocol/message/unknown-json.js';
import { UNFIT, anything, fit, flag, list, neverResent, nullable, number, object, onlyIf, oneOf, orElse, record, tagged, text, type Shape } from './shape.js';

/** Shapes shared by several blocks (docs: API reference, request schema). */

type Fields = Readonly<Record<string, Shape>>;

export const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/;
export const SERVER_TOOL_USE_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

export const cacheControl = nullable(tagged({ ephemeral: variant({}, { ttl: oneOf(['5m', '1h']) }) }));

/** A member of a tagged union. */
export function variant(required: Fields, optional: Fields = {}): Shape {
  return object({ type: anything, ...required }, optional);
}

/** The only shape of a member that is no union: its `type` is judged like any other field. */
export function onlyVariant(tag: string, shape: Shape): Shape {
  const head = object({ type: oneOf([tag]) }, {}, true);
  const check: Shape = (value, place, problems) => {
    const before = problems.length;
    head(value, place, problems);
    if (problems.length === before) shape(value, place, problems);
  };
  return Object.assign(check, { fit: (value: unknown) => (fit(head, value) === UNFIT ? UNFIT : fit(shape, value)) });
}

/** A member of a tagged union that may carry a cache marker. Stored markers are not sent again: a request sets its own. */
export const block = (required: Fields, optional: Fields = {}): Shape => variant(required, { ...optional, cache_control: neverResent(cacheControl) });

const codeCaller = variant({ tool_id: text({ pattern: SERVER_TOOL_USE_ID }) });

export const caller = tagged({
  direct: variant({}),
  code_execution_20250825: codeCaller,
  code_execution_20260120: codeCaller,
});

export const citationsConfig = object({}, { enabled: flag });

const index = number({ min: 0, integer: true });
const documentCitation = (start: string, end: string): Shape =>
  variant({
    cited_text: text(),
    document_index: index,
    document_title: nullable(text({ min: 1, max: 255 })),
    [start]: index,
    [end]: index,
  });

const citation = tagged({
  char_location: documentCitation('start_char_index', 'end_char_index'),
  page_location: documentCitation('start_page_number', 'end_page_number'),
  content_block_location: documentCitation('start_block_index', 'end_block_index'),
  web_search_result_location: variant({
    cited_text: text(),
    encrypted_index: text(),
    title: nullable(text({ min: 1, max: 512 })),
    url: text({ min: 1, max: 2048 }),
  }),
  search_result_location: variant({
    cited_text: text(),
    search_result_index: index,
    source: text(),
    title: nullable(text()),
    start_block_index: index,
    end_block_index: index,
  }),
});

export const citations = nullable(list(citation));

/** Empty text is accepted here: the API reports it in a later stage, with another message. */
export const textBlock = block({ text: text() }, { citations });

/** Text inside another block: `text content blocks must be non-empty`, and a blank one says nothing. */
export const innerText = onlyIf(textBlock, (value) => isObject(value) && !isBlank(value['text']));

export const toolReference = block({ tool_name: text({ pattern: /^[a-zA-Z0-9_-]{1,256}$/ }) });

/** `codes` must contain `unavailable`, which stands for codes that the API does not take back. */
export const errorOf = (tag: string, codes: readonly string[], optional: Fields = {}): Fields => ({
  [tag]: variant({ error_code: orElse(oneOf(codes), 'unavailable') }, optional),
});

export const outputFormat = tagged({ json_schema: variant({ schema: record }) });
