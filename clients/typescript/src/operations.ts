import { OPERATIONS, type operations } from './api.js';
import type { CallOptions, Transport } from './transport.js';

/** Every operation of the API except event streams, by its operation id. */
type OperationId = Exclude<keyof operations & keyof typeof OPERATIONS, StreamId>;
type StreamId = { [Id in keyof typeof OPERATIONS]: (typeof OPERATIONS)[Id]['answer'] extends 'stream' ? Id : never }[keyof typeof OPERATIONS];

type PathOf<Id extends OperationId> = operations[Id]['parameters'] extends { readonly path: infer Path } ? Path : unknown;
type QueryOf<Id extends OperationId> = operations[Id]['parameters'] extends { readonly query?: infer Query }
  ? [NonNullable<Query>] extends [never]
    ? unknown
    : NonNullable<Query>
  : unknown;

type ContentOf<Id extends OperationId> = operations[Id] extends { readonly requestBody: { readonly content: infer Content } } ? Content : never;
type GivenBody<Id extends OperationId> = ContentOf<Id> extends { readonly 'application/json': infer Body } ? Body : string | Blob;
type Nothing = Record<never, never>;
/** A body of which every member is optional may be left out. */
type BodyOf<Id extends OperationId> = [ContentOf<Id>] extends [never]
  ? unknown
  : Nothing extends GivenBody<Id>
    ? { readonly body?: GivenBody<Id> }
    : { readonly body: GivenBody<Id> };

/** Parameters of path and query by their names, and the body. */
export type RequestOf<Id extends OperationId> = PathOf<Id> & QueryOf<Id> & BodyOf<Id>;

type Succeeded<Id extends OperationId> = operations[Id]['responses'][keyof operations[Id]['responses']];
/** The JSON of the response; the response itself where it is not JSON; undefined where it has no body. */
export type AnswerOf<Id extends OperationId> =
  Succeeded<Id> extends { readonly content: { readonly 'application/json': infer Answer } }
    ? Answer
    : (typeof OPERATIONS)[Id]['answer'] extends 'none'
      ? void
      : Response;

type Operation<Id extends OperationId> =
  Nothing extends RequestOf<Id>
    ? (request?: RequestOf<Id>, options?: CallOptions) => Promise<AnswerOf<Id>>
    : (request: RequestOf<Id>, options?: CallOptions) => Promise<AnswerOf<Id>>;

export type Operations = { readonly [Id in OperationId]: Operation<Id> };

interface Description {
  readonly method: string;
  readonly path: string;
  readonly keyed: boolean;
  readonly body: boolean;
  readonly answer: 'json' | 'other' | 'none' | 'stream';
}

/** One function per operation. */
export function operationsOn(transport: Transport): Operations {
  const all = Object.entries(OPERATIONS as Readonly<Record<string, Description>>).filter(([, { answer }]) => answer !== 'stream');
  return Object.fromEntries(all.map(([id, description]) => [id, operation(transport, description)])) as unknown as Operations;
}

function operation(transport: Transport, { method, path, keyed, body: takesBody, answer }: Description) {
  return async (request: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}): Promise<unknown> => {
    const { body = {}, ...parameters } = request;
    const call = { method, target: targetOf(path, parameters), keyed, ...(takesBody ? { body } : {}) };
    const response = await transport.send(call, options);
    if (answer === 'json') return response.json();
    return answer === 'none' ? undefined : response;
  };
}

/** Inserts the parameters that the path names; the others are the query. */
function targetOf(path: string, parameters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  let target = path;
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue;
    const place = `{${name}}`;
    if (path.includes(place)) target = target.replace(place, encodeURIComponent(String(value)));
    else query.append(name, String(value));
  }
  const missing = /\{(\w+)\}/.exec(target)?.[1];
  if (missing !== undefined) throw new TypeError(`The parameter ${missing} is missing.`);
  return query.size === 0 ? target : `${target}?${query}`;
}
