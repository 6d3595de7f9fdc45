import type { Json } from '../../../../packages/protocol/message/content.js';
import type { ReadOnlyFolder } from '../../../ports/index.js';
import type { Workspace } from '../workspaces/workspaces.js';
import type { EditInput, GlobInput, GrepInput, ReadInput, WriteInput } from './inputs.js';
import type { PathLimits } from './path-resolver.js';

/** A call of one of the file tools. */
export type Operation =
  | { readonly tool: 'Read'; readonly input: ReadInput }
  | { readonly tool: 'Write'; readonly input: WriteInput }
  | { readonly tool: 'Edit'; readonly input: EditInput }
  | { readonly tool: 'Glob'; readonly input: GlobInput }
  | { readonly tool: 'Grep'; readonly input: GrepInput };

export interface FileLimits {
  /** Characters of a result. */
  readonly characters: number;
  /** Larger files are not edited, written or searched. */
  readonly maxBytes: number;
  /** Files and folders that Glob and Grep visit. */
  readonly maxEntries: number;
  readonly paths: PathLimits;
}

/** The files that an operation may use. */
export interface FileScope {
  readonly workspace: Pick<Workspace, 'root' | 'account'>;
  readonly folders: readonly ReadOnlyFolder[];
}

export type OperationResult =
  | {
      readonly text: string;
      /** In place of the text. */
      readonly image?: { readonly mediaType: string; readonly base64: string };
      readonly result: { readonly [key: string]: Json };
    }
  | { readonly fault: string };
