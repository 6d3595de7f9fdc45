import { isObject, loose } from '../protocol/message/unknown-json.js';
import type { ClientTool } from '../protocol/message/tool-definition.js';

/** What a pass may know about a tool of the request. */
export interface OfferedTool {
  /** Members of the input that the schema declares. */
  readonly inputs: ReadonlySet<string>;
  /** Whether the schema rejects all other members. */
  readonly isClosed: boolean;
}

/** The tools of a request by name. */
export function offeredTools(tools: readonly Pick<ClientTool, 'name' | 'input_schema'>[]): ReadonlyMap<string, OfferedTool> {
  return new Map(tools.map(({ name, input_schema }) => [name, offeredTool(input_schema)]));
}

function offeredTool(schema: unknown): OfferedTool {
  const { properties, additionalProperties, patternProperties } = loose(schema);
  return { inputs: new Set(isObject(properties) ? Object.keys(properties) : []), isClosed: additionalProperties === false && patternProperties === undefined };
}
