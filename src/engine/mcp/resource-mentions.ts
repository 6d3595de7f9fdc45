import { abortable } from '../../platform/async/abortable.js';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import { mentionsOf } from '../../session/prompt/expand-skill.js';
import { AttachmentProvider, type AttachmentRequest } from '../../ports/index.js';
import type { McpTools } from './mcp-tools.js';

/** The gathering waits this much longer than the reads, so that a slow server is reported with its resource. */
const GRACE_MS = 1_000;

/** Reads the resources that a prompt mentions as `@server:uri`. One that cannot be read is attached with the reason. A name that is no server of the tenant stays text. */
export class ResourceMentions extends AttachmentProvider {
  override readonly name = 'mcp_resources';
  override readonly timeoutMs: number;

  constructor(
    private readonly servers: Pick<McpTools, 'serverNames' | 'read'>,
    private readonly readTimeoutMs: number,
  ) {
    super();
    this.timeoutMs = readTimeoutMs + GRACE_MS;
  }

  override async gather({ tenantId, text }: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]> {
    const mentioned = mentionsOf({ body: '' }, text).flatMap(({ path }) => {
      const [, server, uri] = /^([\w-]+):(.+)$/.exec(path) ?? [];
      return server === undefined || uri === undefined ? [] : [{ server, uri }];
    });
    if (mentioned.length === 0) return [];
    const known = new Set(await this.servers.serverNames(tenantId));
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.readTimeoutMs)]);
    return Promise.all(mentioned.filter(({ server }) => known.has(server)).map((resource) => this.#read(tenantId, resource, limit)));
  }

  async #read(tenantId: string, resource: { readonly server: string; readonly uri: string }, limit: AbortSignal): Promise<Attachment> {
    try {
      const content = await abortable(this.servers.read(tenantId, resource.server, resource.uri, this.readTimeoutMs, limit), limit);
      return { type: 'mcp_resource', ...resource, content };
    } catch (error) {
      const problem = limit.aborted ? `the server did not answer within ${this.readTimeoutMs} ms` : (error as { readonly message: string }).message;
      return { type: 'mcp_resource', ...resource, error: problem };
    }
  }
}
