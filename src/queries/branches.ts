import { branchesOf } from '../core/session/branches.js';
import type { SessionState } from '../core/session/state.js';
import { preview, readerText } from '../core/transcript/reader-text.js';
import type { BranchesView } from './views.js';

/** Characters of a text by which a reader recognises a branch. */
const PREVIEW_CHARACTERS = 200;

export function branchesView(state: SessionState): BranchesView {
  const data = branchesOf(state).map(({ own, ...branch }) => ({
    ...branch,
    messages: own.length,
    first: firstText(state, own),
    updatedAt: state.messages.get(branch.tip)?.message.timestamp ?? '',
  }));
  return { version: state.version, data };
}

function firstText(state: SessionState, uuids: readonly string[]): BranchesView['data'][number]['first'] {
  for (const uuid of uuids) {
    const message = state.messages.get(uuid)?.message;
    const text = message ? readerText(message) : null;
    if (text !== null) return { uuid, preview: preview(text, PREVIEW_CHARACTERS) };
  }
  return null;
}
