import { utf8Length } from '../../../packages/protocol/message/text.js';
import { Body, Controller, Delete, Get, Header, HttpCode, Inject, Logger, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { may, TENANT } from '../../../packages/protocol/access/may.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Memories, type MemoryVersion } from '../../ports/index.js';
import { memoryLimits } from '../../engine/tools/memory-tool.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { memoryPath } from '../../session/memory/memory-path.js';
import { restored } from '../../session/memory/restored.js';
import { content, contentQuery, memory, memoryQuery, undoBody, undone, versions, versionsQuery } from './memory-schemas.js';

/** What the model remembers for a user. Only that user reads it; an admin can erase it. */
@ApiTags('memory')
@Controller('v1/users/:userId/memory')
export class MemoryController {
  readonly #log = new Logger('Memory');

  constructor(
    private readonly memories: Memories,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MEMORY_FILE_BYTES' | 'MEMORY_FILES' | 'MEMORY_BYTES'>,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'listMemory',
    access: 'memory.read',
    summary: 'List the files that the model keeps for you',
    description:
      'By path, with the change that made each what it is. With `deleted=true` also the paths at which there is no file any more, whose versions can still be read and used again. Shown to this user only: for all others the answer is 404.',
    status: 200,
    response: memory,
    problems: ['invalid_input', 'not_found', 'key_unavailable'],
  })
  async list(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string, @Query({ schema: memoryQuery }) query: z.output<typeof memoryQuery>) {
    const of = own(caller, userId);
    const { files, deleted } = await this.memories.all(of);
    const data = files.map((file) => ({ path: file.path, bytes: utf8Length(file.content), ...changeOf(file) }));
    return query.deleted ? { data, deleted: deleted.map((gone) => ({ path: gone.path, ...changeOf(gone) })) } : { data };
  }

  @Get('content')
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'getMemoryContent',
    access: 'memory.read',
    summary: 'Get a file of your memory, now or in an earlier version',
    description: 'Versions are in `GET /v1/users/{userId}/memory/versions`.',
    status: 200,
    response: content,
    problems: ['invalid_input', 'not_found', 'key_unavailable'],
  })
  async content(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string, @Query({ schema: contentQuery }) query: z.output<typeof contentQuery>) {
    const of = own(caller, userId);
    const path = requirePath(query.path);
    const file = await this.#version(of, path, query.version ?? null);
    if (file === null || file.content === null) throw new DomainError('not_found', 'The memory has no file at this path, or had none in this version.');
    return { path, content: file.content, bytes: utf8Length(file.content), ...changeOf(file) };
  }

  @Get('versions')
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'listMemoryVersions',
    access: 'memory.read',
    summary: 'List the versions of a file of your memory, newest first',
    description: 'Also of a file that was deleted. Each says which session made it.',
    status: 200,
    response: versions,
    problems: ['invalid_input', 'not_found', 'key_unavailable'],
  })
  async versions(
    @Caller() caller: AuthorizedCaller,
    @PathId('userId') userId: string,
    @Query({ schema: versionsQuery }) query: z.output<typeof versionsQuery>,
  ) {
    const of = own(caller, userId);
    const { limit = 20, cursor = null } = query;
    const found = await this.memories.versions(of, requirePath(query.path), { upTo: cursor, limit: limit + 1 });
    if (found.length === 0 && cursor === null) throw new DomainError('not_found', 'The memory never had a file at this path.');
    const data = found.slice(0, limit).map((version) => ({
      ...changeOf(version),
      bytes: version.content === null ? null : utf8Length(version.content),
      renamedFrom: version.renamedFrom,
    }));
    return { data, nextCursor: found.length > limit ? String(found[limit]!.version) : null };
  }

  @Post('undo')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiRoute({
    operation: 'undoMemory',
    access: 'memory.write',
    summary: 'Make a file of your memory what it was in an earlier version',
    description:
      'Writes the earlier content as a new version, or deletes the file where that version is a deletion. Nothing is lost: this can be undone as well.',
    status: 200,
    response: undone,
    problems: ['not_found', 'limit_reached', 'key_unavailable'],
    body: true,
  })
  async undo(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string, @Body({ schema: undoBody }) body: z.input<typeof undoBody>) {
    const of = own(caller, userId);
    const path = requirePath(body.path);
    const limits = memoryLimits(this.settings);
    // The version is read after the files: if the memory is erased meanwhile, either it is gone, or the change is not recorded.
    const made = await this.memories.change(of, { changedBy: caller.userId, call: null }, async (present) => {
      const wanted = await this.#version(of, path, body.version);
      if (!wanted) throw new DomainError('not_found', 'The file has no such version; its versions are in GET …/memory/versions.');
      return restored(present, path, wanted.content, limits);
    });
    if (made.fault !== null) throw new DomainError('limit_reached', made.fault);
    return { path, version: made.version };
  }

  @Delete()
  @HttpCode(204)
  @ApiRoute({
    operation: 'eraseMemory',
    access: 'memory.write',
    summary: 'Erase all that the model keeps for a user, with its history',
    description: 'Of yourself, or as an admin of any user of the tenant. It cannot be undone. What was read into conversations stays in them.',
    status: 204,
    response: null,
    problems: ['not_found'],
  })
  async erase(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string): Promise<void> {
    const of = userId === caller.userId || may(caller, 'tenant.people', TENANT) ? { tenantId: caller.tenantId, userId } : own(caller, userId);
    if (!(await this.memories.erase(of))) throw new DomainError('not_found', 'The tenant has no user with this id.');
    this.#log.log({ msg: 'memory erased', userId, by: caller.userId });
  }

  async #version(of: { readonly tenantId: string; readonly userId: string }, path: string, version: number | null): Promise<MemoryVersion | null> {
    const [found] = await this.memories.versions(of, path, { upTo: version, limit: 1 });
    return found && (version === null || found.version === version) ? found : null;
  }
}

/** Also an admin is no other user's reader. */
function own({ tenantId, userId: caller }: AuthorizedCaller, userId: string): { readonly tenantId: string; readonly userId: string } {
  if (userId !== caller) throw new DomainError('not_found', 'A memory is shown to its own user only. Your id is in GET /v1/me.');
  return { tenantId, userId };
}

function requirePath(given: string): string {
  const read = memoryPath(given);
  if ('fault' in read) throw new DomainError('invalid_input', 'The path is not one of a memory.', [{ pointer: '/path', text: read.fault }]);
  return read.path;
}

const changeOf = ({ version, changedAt, changedBy, sessionId }: MemoryVersion) => ({ version, changedAt, changedBy, sessionId });
