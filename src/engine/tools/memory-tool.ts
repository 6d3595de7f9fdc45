import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { MEMORY_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { type Memories, type TenantConfiguration, type ToolCall, type ToolOutcome, ToolSet } from '../../ports/index.js';
import { readMemoryCommand } from '../../session/memory/memory-command.js';
import type { MemoryLimits } from '../../session/memory/memory-limits.js';
import { runMemoryCommand } from '../../session/memory/run-command.js';
import type { Settings } from '../../platform/config/env.js';
import { errorOutcome } from './input.js';

const path = { type: 'string', description: 'Begins with /memories' };
const text = { type: 'string' };

export const memoryLimits = (settings: Pick<Settings, 'MEMORY_FILE_BYTES' | 'MEMORY_FILES' | 'MEMORY_BYTES'>): MemoryLimits => ({
  fileBytes: settings.MEMORY_FILE_BYTES,
  files: settings.MEMORY_FILES,
  bytes: settings.MEMORY_BYTES,
});

/** The model API knows the tool: description and schema are for people and hooks, and are not sent. */
const MEMORY: ToolDefinition = {
  name: MEMORY_TOOL.name,
  description: 'Reads and changes the files that the model keeps for the user across their sessions.',
  input_schema: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
      path,
      view_range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
      file_text: text,
      old_str: text,
      new_str: text,
      insert_line: { type: 'integer' },
      insert_text: text,
      old_path: path,
      new_path: path,
    },
    required: ['command'],
  },
  source: 'builtin',
  type: MEMORY_TOOL.type,
  effect: 'read',
};

/** The memory of the user who talks with the model, for tenants that have switched it on. Who may use it in a session is decided by `memoryOwner`. */
export class MemoryTool extends ToolSet {
  readonly #log = new Logger(MemoryTool.name);

  constructor(
    private readonly memories: Memories,
    private readonly tenants: TenantConfiguration,
    private readonly limits: MemoryLimits,
  ) {
    super();
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    const isOn = await this.tenants.read(tenantId).then(
      ({ memory }) => memory,
      () => false,
    );
    return isOn ? [MEMORY] : [];
  }

  override async run({ tenantId, sessionId, toolUseId, input, memoryOf }: ToolCall): Promise<ToolOutcome> {
    if (memoryOf === undefined) {
      return errorOutcome('There is no memory in this session: only its owner has one here, and only while no other user has a right to the session.');
    }
    const read = readMemoryCommand(input);
    if ('fault' in read) return errorOutcome(read.fault);
    // Ids of calls may repeat in a session. A call whose process has died is not run again, so the id of this run finds what it has written if the answer of the database is lost.
    const author = { changedBy: memoryOf, call: { sessionId, toolUseId: `${toolUseId} ${randomUUID()}` } };
    try {
      const { text: content, isError } = await this.memories.change({ tenantId, userId: memoryOf }, author, (files) =>
        runMemoryCommand(files, read.value, this.limits),
      );
      return { content, isError };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'limit_reached') return errorOutcome(error.message);
      this.#log.error(error);
      return errorOutcome('The memory cannot be read or changed now. Continue without it, or try again later.');
    }
  }
}
