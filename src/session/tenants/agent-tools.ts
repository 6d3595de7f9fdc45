import { EXIT_PLAN_MODE, MEMORY_TOOL } from '../../../packages/protocol/message/tool-definition.js';
import type { AgentDefinition } from './tenant-settings.js';

interface OfferedTool {
  readonly name: string;
  readonly type?: string | undefined;
}

/** Whether helpers may have a tool of the server: memory and plan belong to the session of a person. */
export const isForHelpers = ({ name, type }: OfferedTool): boolean => type !== MEMORY_TOOL.type && name !== EXIT_PLAN_MODE;

/** Tools that an agent names and no helper is offered. */
export interface UnknownTools {
  /** No tool has these names. */
  readonly unknown: readonly string[];
  /** They may be tools of MCP servers whose tools are not known now. */
  readonly unsure: readonly string[];
}

/** `offered`: what the server offers to the tenant now; `problems`: why tools of these sources are not offered. */
export function unknownTools(names: readonly string[], offered: readonly OfferedTool[], problems: readonly { readonly source: string }[]): UnknownTools {
  const known = new Set(offered.filter(isForHelpers).map(({ name }) => name));
  const missing = [...new Set(names)].filter((name) => !known.has(name));
  const prefixes = problems.flatMap(({ source }) => (source.startsWith('mcp:') ? [prefixOf(source.slice('mcp:'.length))] : []));
  const isUnsure = (name: string): boolean => prefixes.some((prefix) => name.startsWith(prefix));
  return { unknown: missing.filter((name) => !isUnsure(name)), unsure: missing.filter(isUnsure) };
}

/** With which the names begin that the model knows the tools of an MCP server by. */
const prefixOf = (server: string): string => `mcp__${server}__`.replace(/[^a-zA-Z0-9_-]/g, '_');

/** What of the agents of a tenant is not known, as problems in the list of its tools. */
export function agentProblems(
  agents: Readonly<Record<string, AgentDefinition>>,
  offered: readonly OfferedTool[],
  problems: readonly { readonly source: string }[],
): readonly { readonly source: string; readonly problem: string }[] {
  return Object.entries(agents).flatMap(([name, { tools = [] }]) => {
    const { unknown, unsure } = unknownTools(tools, offered, problems);
    return [
      ...(unknown.length === 0 ? [] : [`names tools that helpers are not offered: ${unknown.join(', ')}`]),
      ...(unsure.length === 0 ? [] : [`names tools of MCP servers whose tools are not known now: ${unsure.join(', ')}`]),
    ].map((problem) => ({ source: `agent:${name}`, problem }));
  });
}
