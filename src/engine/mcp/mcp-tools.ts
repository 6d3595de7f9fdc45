import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Json } from '../../../packages/protocol/message/content.js';
import { type TenantConfiguration, type ToolCall, type ToolOutcome, type ToolProblem, ToolSet, type TriedServer } from '../../ports/index.js';
import { Connections } from './connections.js';
import { textOf } from './open-server.js';
import { abortable } from '../../platform/async/abortable.js';
import { failure, outcomeOf, resourceText } from './outcome.js';
import { progressReport } from './progress-report.js';
import type { McpTool } from './read-tool.js';
import type { HttpServer, McpSettings, McpServer } from './server.js';
import { ServerConnection } from './server-connection.js';
import { mayHave } from './tool-name.js';
import type { FieldError } from '../../../packages/protocol/errors.js';
import { isPluginEnabled, type TenantSettings } from '../../session/tenants/tenant-settings.js';
import { faultsInServers } from './tenant-servers.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

type TenantServer = TenantSettings['mcpServers'][string];

interface OfferedTool {
  readonly tool: McpTool;
  readonly connection: ServerConnection;
}

interface OfferedTools {
  readonly byName: ReadonlyMap<string, OfferedTool>;
  readonly problems: readonly ToolProblem[];
}

const NOTHING: OfferedTools = { byName: new Map(), problems: [] };

/** The tools of MCP servers: the operator's for every tenant, and the tenant's own. */
export class McpTools extends ToolSet {
  readonly #connections: Connections;
  /** Tenants for which a server is being tried: one at a time, outside of the limit of connections. */
  readonly #tried = new Set<string>();

  constructor(
    private readonly operators: readonly McpServer[],
    private readonly tenants: Pick<TenantConfiguration, 'read'>,
    private readonly setup: {
      readonly settings: McpSettings;
      /** Whether a tenant's server may have a private address. */
      readonly allowPrivate: boolean;
      readonly onFailure: (problem: string) => void;
    },
  ) {
    super();
    this.#connections = new Connections(setup.settings, setup.onFailure);
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    return [...(await this.#offers(tenantId)).byName.values()].map(({ tool }) => tool.definition);
  }

  override async problems(tenantId: string): Promise<readonly ToolProblem[]> {
    return (await this.#offers(tenantId)).problems;
  }

  override faultsIn(servers: TenantSettings['mcpServers']): readonly FieldError[] {
    return faultsInServers(servers, this.setup.allowPrivate);
  }

  override async tryServer(tenantId: string, name: string, server: TenantServer): Promise<TriedServer> {
    if (this.#tried.has(tenantId)) return { tools: [], problems: ['Another server of the tenant is being tried; try again when that has ended.'] };
    this.#tried.add(tenantId);
    const connection = new ServerConnection(this.#ofTenant(name, server), tenantId, this.setup.settings, () => undefined);
    try {
      const { tools, problems } = await connection.list();
      return { tools: tools.map(({ definition }) => definition), problems };
    } finally {
      this.#tried.delete(tenantId);
      void connection.close();
    }
  }

  override async run({ tenantId, name, input }: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    const { settings } = this.setup;
    const { byName } = await abortable(
      this.#offers(tenantId, (server) => mayHave(server.name, name)),
      signal,
    ).catch(() => NOTHING);
    if (signal.aborted) return failure('The call was cancelled before it began.');
    const offer = byName.get(name);
    if (!offer) return failure(`The tool ${name} is not available: its MCP server cannot be reached, or no longer offers it.`);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return failure(`The input of ${name} must be an object.`);
    try {
      return outcomeOf(
        await offer.connection.call(offer.tool, input as Readonly<Record<string, unknown>>, progressReport(onProgress), signal),
        settings.resultCharacters,
      );
    } catch (error) {
      return failure(this.#describe(error, offer.connection.server.name, signal));
    }
  }

  /** The names of the servers that the tenant has. */
  async serverNames(tenantId: string): Promise<readonly string[]> {
    return (await this.#serversOf(tenantId)).servers.map(({ name }) => name);
  }

  /** The text of a resource, at most `resultCharacters` of it. Rejects with an error that has a message for the model. */
  async read(tenantId: string, name: string, uri: string, timeoutMs: number, signal: AbortSignal): Promise<string> {
    const server = (await this.#serversOf(tenantId)).servers.find((each) => each.name === name);
    const connection = server && this.#connections.of(tenantId, server);
    if (!connection) throw new Error('the limit of connections to MCP servers is reached');
    try {
      const { contents } = await connection.read(uri, timeoutMs, signal);
      return resourceText(contents, this.setup.settings.resultCharacters);
    } catch (error) {
      throw new Error(signal.aborted ? `the server did not answer within ${timeoutMs} ms` : textOf(error), { cause: error });
    }
  }

  /** Closes every connection and ends the programs of stdio servers. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  async #offers(tenantId: string, includes: (server: McpServer) => boolean = () => true): Promise<OfferedTools> {
    const { servers, problems } = await this.#serversOf(tenantId);
    const listed = await Promise.all(
      servers.filter(includes).map(async (server) => {
        const source = `mcp:${server.name}`;
        const connection = this.#connections.of(tenantId, server);
        if (!connection) return { offers: [], problems: [{ source, problem: 'It is not available: the limit of connections to MCP servers is reached.' }] };
        const { tools, problems: listProblems } = await connection.list();
        return { offers: tools.map((tool) => ({ tool, connection })), problems: listProblems.map((problem) => ({ source, problem })) };
      }),
    );
    const offers = listed.flatMap((each) => each.offers);
    const { maxTools } = this.setup.settings;
    const over = offers.slice(maxTools).length;
    return {
      byName: new Map(offers.slice(0, maxTools).map((offer) => [offer.tool.definition.name, offer])),
      problems: [
        ...problems,
        ...listed.flatMap((each) => each.problems),
        ...(over > 0 ? [{ source: 'mcp', problem: `${over} tools are left out: at most ${maxTools} can be offered.` }] : []),
      ],
    };
  }

  /** The operator's come first; a tenant's server of the same name is left out. */
  async #serversOf(tenantId: string): Promise<{ readonly servers: readonly McpServer[]; readonly problems: readonly ToolProblem[] }> {
    let own: readonly McpServer[];
    let operators: readonly McpServer[];
    try {
      const settings = await this.tenants.read(tenantId);
      const { mcpServers } = settings;
      operators = this.operators.filter(({ plugin }) => isPluginEnabled(settings, plugin ?? null));
      own = Object.entries(mcpServers).map(([name, server]) => this.#ofTenant(name, server));
    } catch (error) {
      this.setup.onFailure(`the MCP servers of tenant ${tenantId} cannot be read: ${textOf(error)}`);
      return {
        servers: this.operators.filter(({ plugin }) => plugin === undefined),
        problems: [{ source: 'mcp', problem: 'The settings of the tenant cannot be read now.' }],
      };
    }
    const taken = new Set(operators.map(({ name }) => name));
    const problems = own
      .filter(({ name }) => taken.has(name))
      .map(({ name }) => ({ source: `mcp:${name}`, problem: 'Its name is taken by a server of the operator.' }));
    return { servers: [...operators, ...own.filter(({ name }) => !taken.has(name))], problems };
  }

  #ofTenant(name: string, { url, headers }: TenantServer): HttpServer {
    return { kind: 'http', name, url, headers: headers ?? {}, allowPrivate: this.setup.allowPrivate };
  }

  #describe(error: unknown, server: string, signal: AbortSignal): string {
    if (signal.aborted) return 'The call was cancelled.';
    if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
      return `The MCP server ${server} did not answer within ${this.setup.settings.callTimeoutMs} ms. Whether the call had an effect is not known.`;
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
      return `The connection to the MCP server ${server} was lost during the call. Whether the call had an effect is not known.`;
    }
    return `The MCP server ${server} could not carry out the call: ${textOf(error)}`;
  }
}
