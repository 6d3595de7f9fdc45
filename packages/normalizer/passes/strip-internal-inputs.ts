import type { Json, ToolUseBlock } from '../../protocol/message/content.js';
import { isObject } from '../../protocol/message/unknown-json.js';
import { withoutMembers } from '../../protocol/message/written-input.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Clients store members in the input of a call that the model did not write, such as the plan of `ExitPlanMode`. They are removed: the internal members of
 * known tools, and for an offered tool whose schema is closed every member that the schema does not declare. A call under an earlier name of an offered tool
 * gets the offered name. Needs `normalize-tool-inputs`: inputs are objects.
 */
export const stripInternalInputs: Pass = {
  name: 'strip-internal-inputs',
  reason: 'a call is sent under the offered name of its tool, without members that the tool does not declare',
  ...perMessage(clean),
};

/** Members that Claude Code stores with a call for its own use. */
const INTERNAL: Readonly<Record<string, readonly string[]>> = {
  ExitPlanMode: ['plan', 'planFilePath'],
  ExitPlanModeV2: ['plan', 'planFilePath'],
};

/** Earlier names of tools, with their present name. */
const RENAMED: Readonly<Record<string, string>> = {
  ExitPlanModeV2: 'ExitPlanMode',
  Task: 'Agent',
  KillShell: 'TaskStop',
  BashOutput: 'TaskOutput',
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, stripped, settings)) : message;
}

function stripped(before: WorkingBlock, { tools }: PassSettings): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_use') return before;
  const name = offeredName(block.name, tools);
  const input = withoutInternal(block, name, tools);
  return name === block.name && input === block.input ? before : changed(before, { ...block, name, input });
}

function offeredName(name: string, tools: PassSettings['tools']): string {
  const present = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
  return present !== undefined && !tools.has(name) && tools.has(present) ? present : name;
}

function withoutInternal({ name: stored, input }: ToolUseBlock, name: string, tools: PassSettings['tools']): Json {
  if (!isObject(input)) return input;
  const tool = tools.get(name);
  const internal = (Object.hasOwn(INTERNAL, stored) ? INTERNAL[stored] : undefined) ?? [];
  const isSent = (member: string): boolean => tool?.inputs.has(member) === true || (tool?.isClosed !== true && !internal.includes(member));
  return Object.keys(input).every(isSent) ? input : (withoutMembers(input, isSent) as Json);
}
