import type { FieldError } from '../../packages/protocol/errors.js';
import type { TenantSettings } from '../session/tenants/tenant-settings.js';
import type { Content, ContentBlock, Json } from '../../packages/protocol/message/content.js';
import type { PermissionMode } from '../../packages/protocol/message/message.js';
import type { ToolDefinition } from '../../packages/protocol/message/tool-definition.js';

export interface ToolCall {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolUseId: string;
  readonly name: string;
  readonly input: Json;
  readonly permissionMode: PermissionMode;
  /** A person has allowed it; absent: a rule, a hook or the mode has. */
  readonly isApproved?: true;
  readonly workload?: string;
  /** The user whose memory the call may use; absent: none. */
  readonly memoryOf?: string;
}

/** Result of a call, successful or not. */
export interface ToolOutcome {
  /** For the model. */
  readonly content: Content;
  readonly isError: boolean;
  /** Structured result, for clients. */
  readonly toolUseResult?: Json;
  /** Blocks after the result in the same user message. */
  readonly siblings?: readonly ContentBlock[];
  /** The session leaves plan mode. */
  readonly leavesPlanMode?: boolean;
  /** Attachments, appended after the results. */
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
}

/** A folder of the server that tools may read but not change, under a path that does not reveal where it is. */
export interface ReadOnlyFolder {
  /** As tools and the model name it, such as /skills/review. */
  readonly path: string;
  /** Where it is: an absolute path without links. */
  readonly directory: string;
}

/** Why tools of a source are not offered. */
export interface ToolProblem {
  /** As in `ToolDefinition.source`. */
  readonly source: string;
  readonly problem: string;
}

/** What an MCP server offers that was connected to once. */
export interface TriedServer {
  readonly tools: readonly ToolDefinition[];
  /** Why it, or a tool of it, cannot be used. */
  readonly problems: readonly string[];
}

/** Tools of one kind. */
export abstract class ToolSet {
  /** Tools available to the tenant now. Never throws: an unreachable source offers none. */
  abstract offered(tenantId: string): Promise<readonly ToolDefinition[]>;
  /** Why tools are not offered now. Never throws. */
  problems(_tenantId: string): Promise<readonly ToolProblem[]> {
    return Promise.resolve([]);
  }
  /** Why these MCP servers cannot be set for a tenant; pointers begin with the server's name. */
  faultsIn(_servers: TenantSettings['mcpServers']): readonly FieldError[] {
    return [];
  }
  /** Connects once to a server as a tenant may set it, and lists its tools. Never rejects; null: tools of this kind come from no server. */
  tryServer(_tenantId: string, _name: string, _server: TenantSettings['mcpServers'][string]): Promise<TriedServer | null> {
    return Promise.resolve(null);
  }
  /**
   * Runs a call of one of its tools, bounded in time and output. Failures, timeouts, excess output and invalid input are outcomes with `isError`, never exceptions.
   * Ends soon after `signal` aborts. `onProgress`: live progress for subscribers.
   */
  abstract run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome>;
}

/** All server tools. */
export abstract class Tools extends ToolSet {}
