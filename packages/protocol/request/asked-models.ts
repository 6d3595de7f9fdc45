import { DomainError } from '../errors.js';
import { eachItem, endOfValue } from '../message/json-scan.js';

/** The members of an object, or of each object of a list, in which models may be named. `true`: the member is the name of a model. */
interface Place {
  readonly [member: string]: Place | true;
}

const NAMED: Place = { model: true };
const ADDED: Place = { tool: { definition: NAMED } };

/** A request: alternatives of its model, and models that advise it, also in tools that a message adds. A test compares it with the types of the official SDK. */
const REQUEST: Place = { ...NAMED, fallbacks: NAMED, tools: NAMED, messages: { content: { ...ADDED, tool_changes: ADDED } } };
const BODY: Place = { ...REQUEST, requests: { params: REQUEST } };

/** Names of models in one body: no client has as many. */
const MAX_MODELS = 1_000;

/**
 * Every model that a request to the Messages API or a batch of such requests names, each once; an empty text for a model that is missing or is no text. A text where an object would name a model, such as
 * `"fallbacks": "default"`, is such a name. `text`: JSON that a parser has accepted. Throws `invalid_input` for a member that stands twice, because the model API may read the other one, and for more than
 * 1,000 models. Names of members are compared without case, as some servers do.
 */
export function askedModels(text: string): readonly string[] {
  const models = new Set<string>();
  const start = text.search(/[^ \t\n\r]/);
  if (text[start] === '{') readValue(text, start, BODY, models);
  else models.add('');
  return [...models];
}

/** Index after the value that begins at `at`. */
function readValue(text: string, at: number, place: Place, models: Set<string>): number {
  if (text[at] === '[') return eachItem(text, at, (item) => (text[item.at] === '[' ? endOfValue(text, item.at) : readValue(text, item.at, place, models)));
  if (text[at] !== '{') {
    if (text[at] === '"' && place['model'] === true) add(text, at, models);
    return endOfValue(text, at);
  }
  const names = new Set<string>();
  const end = eachItem(text, at, ({ name, at: value }) => {
    const known = name!.toLowerCase();
    const member = Object.hasOwn(place, known) ? place[known] : undefined;
    if (member === undefined) return endOfValue(text, value);
    if (names.has(known)) throw new DomainError('invalid_input', `The request has the member ${JSON.stringify(known)} twice.`);
    names.add(known);
    return member === true ? add(text, value, models) : readValue(text, value, member, models);
  });
  const isRequest = 'messages' in place;
  if (isRequest && !names.has('model') && !names.has('requests')) models.add('');
  return end;
}

function add(text: string, at: number, models: Set<string>): number {
  const end = endOfValue(text, at);
  models.add(text[at] === '"' ? (JSON.parse(text.slice(at, end)) as string) : '');
  if (models.size > MAX_MODELS) throw new DomainError('invalid_input', `The request names more than ${MAX_MODELS} models.`);
  return end;
}
