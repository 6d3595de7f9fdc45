import type { SessionState } from '../core/session/state.js';
import { branchesOf } from '../core/transcript/branches.js';
import { preview, readerText } from '../core/transcript/reader-text.js';
import type { BranchesView } from './views.js';

/** Characters of a text by which a reader recognises a branch. */
const PREVIEW_CHARACTERS = 200;

export function branchesView(state: SessionState): BranchesView {
  const data = branchesOf(state).map(({ tip, first, ...branch }) => ({
    tip: tip.uuid,
    ...branch,
    first: first && { uuid: first.uuid, preview: preview(readerText(first) ?? '', PREVIEW_CHARACTERS) },
    updatedAt: tip.timestamp,
  }));
  return { version: state.version, data };
}
