import type { SessionState } from '../../session/state/state.js';
import { branchesOf } from '../../session/transcript/branches.js';
import { preview, readerText } from '../../session/transcript/reader-text.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { BranchesView } from './views.js';

/** Characters of a text by which a reader recognises a branch. */
const PREVIEW_CHARACTERS = 200;

export function branchesView(state: SessionState): BranchesView {
  const data = branchesOf(state).map(({ tip, begins, insteadOf, first, left, ...branch }) => ({
    tip: tip.uuid,
    ...branch,
    begins: begins && placeOf(begins),
    insteadOf: insteadOf && placeOf(insteadOf),
    first: first && { uuid: first.uuid, preview: preview(readerText(first) ?? '', PREVIEW_CHARACTERS) },
    updatedAt: tip.timestamp,
    left: left && { ...left, files: left.files !== undefined },
  }));
  return { version: state.version, data };
}

const placeOf = ({ uuid, timestamp }: StoredMessage): { readonly uuid: string; readonly timestamp: string } => ({ uuid, timestamp });
