import type { SessionState } from '../../session/state/state.js';
import { branchesOf } from '../../session/transcript/branches.js';
import { preview, readerText } from '../../session/transcript/reader-text.js';
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
