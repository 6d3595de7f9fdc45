import type { Json } from '../../../core/message/content.js';
import type { Account } from '../workspaces/accounts.js';
import type { EditInput, GlobInput, GrepInput, ReadInput, WriteInput } from './inputs.js';

/** What one of the file tools is to do. */
export type Operation =
  | { readonly tool: 'Read'; readonly input: ReadInput }
  | { readonly tool: 'Write'; readonly input: WriteInput }
  | { readonly tool: 'Edit'; readonly input: EditInput }
  | { readonly tool: 'Glob'; readonly input: GlobInput }
  | { readonly tool: 'Grep'; readonly input: GrepInput };

/** Where, and how much. */
export interface Confines {
  readonly root: string;
  readonly account: Account | null;
  /** Characters that an answer may have. */
  readonly characters: number;
  /** Larger files are not edited, written or searched. */
  readonly maxBytes: number;
  /** Files and folders that Glob and Grep look at. */
  readonly maxEntries: number;
}

export type Done = { readonly text: string; readonly result: { readonly [key: string]: Json } } | { readonly fault: string };
