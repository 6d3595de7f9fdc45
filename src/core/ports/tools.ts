import type { Content, ContentBlock, Json } from '../message/content.js';
import type { PermissionMode } from '../message/message.js';
import type { ToolDefinition } from '../message/tool-definition.js';

export interface ToolCall {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolUseId: string;
  readonly name: string;
  readonly input: Json;
  readonly permissionMode: PermissionMode;
  readonly workload?: string;
}

/** What came of a call, whether it worked or not. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly content: Content;
  readonly isError: boolean;
  /** The structured outcome, for readers and local code. */
  readonly toolUseResult?: Json;
  /** Blocks that stand behind the result in the same user message. */
  readonly siblings?: readonly ContentBlock[];
  /** Attachment messages that follow the results. */
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
}

/** Why tools that somebody may expect are not offered. */
export interface ToolProblem {
  /** As a tool's. */
  readonly source: string;
  readonly problem: string;
}

/** Tools of one kind. */
export abstract class ToolSet {
  /** Those a tenant's sessions may use now. Never throws: a source that cannot be reached offers nothing. */
  abstract offered(tenantId: string): Promise<readonly ToolDefinition[]>;
  /** What keeps tools from being offered now. Never throws. */
  problems(_tenantId: string): Promise<readonly ToolProblem[]> {
    return Promise.resolve([]);
  }
  /**
   * Runs a call of one of its own tools and settles in bounded time, with bounded output. A tool that fails, hangs, floods or gets an input it cannot use is
   * an outcome with `isError`, never an exception; an aborted `signal` ends it soon. `onProgress` is for readers who watch.
   */
  abstract run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome>;
}

/** All tools of the server together. */
export abstract class Tools extends ToolSet {}
