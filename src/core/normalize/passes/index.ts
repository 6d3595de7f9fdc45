import type { Pass } from '../pass.js';
import { addUserContext } from './add-user-context.js';
import { attachmentsToUser } from './attachments-to-user.js';
import { toolCallsLast } from './tool-calls-last.js';
import { capMedia } from './cap-media.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';
import { dropBlankText } from './drop-blank-text.js';
import { dropDetachedThinking } from './drop-detached-thinking.js';
import { dropUnknownBlocks } from './drop-unknown-blocks.js';
import { dropOtherModelThinking } from './drop-other-model-thinking.js';
import { dropOrphanedThinking } from './drop-orphaned-thinking.js';
import { dropRejectedMedia } from './drop-rejected-media.js';
import { dropReaderOnly } from './drop-reader-only.js';
import { dropTrailingThinking } from './drop-trailing-thinking.js';
import { dropUnsignedThinking } from './drop-unsigned-thinking.js';
import { dropVirtual } from './drop-virtual.js';
import { endWithUser } from './end-with-user.js';
import { fillEmptyAssistant } from './fill-empty-assistant.js';
import { foldFollowingReminders } from './fold-following-reminders.js';
import { foldRemainingReminders } from './fold-remaining-reminders.js';
import { localCommandToUser } from './local-command-to-user.js';
import { mergeAssistants } from './merge-assistants.js';
import { mergeFragments } from './merge-fragments.js';
import { mergeUsers } from './merge-users.js';
import { normalizeToolInputs } from './normalize-tool-inputs.js';
import { pairServerTools } from './pair-server-tools.js';
import { pairToolResults } from './pair-tool-results.js';
import { relocateToolReferenceTexts } from './relocate-tool-reference-texts.js';
import { reorderAttachments } from './reorder-attachments.js';
import { repairToolResults } from './repair-tool-results.js';
import { sanitizeErrorResults } from './sanitize-error-results.js';
import { separateTexts } from './separate-texts.js';
import { startWithUser } from './start-with-user.js';
import { stripAdvisor } from './strip-advisor.js';
import { stripCaller } from './strip-caller.js';
import { stripExtraKeys } from './strip-extra-keys.js';
import { stripToolReferences } from './strip-tool-references.js';
import { tagMessages } from './tag-messages.js';
import { toolReferenceBoundary } from './tool-reference-boundary.js';
import { validateMedia } from './validate-media.js';
import { wellFormedText } from './well-formed-text.js';

/** The pipeline, from the transcript to the messages of a request. The order matters; each pass says what it needs from those above it. */
export const PASSES: readonly Pass[] = [
  // Which entries of the transcript the model sees, and in what order
  reorderAttachments,
  dropVirtual,
  dropRejectedMedia,
  dropReaderOnly,
  localCommandToUser,
  mergeFragments,
  attachmentsToUser,

  // Every block one that the API takes, where it stands
  dropUnknownBlocks,
  stripExtraKeys,
  wellFormedText,
  stripToolReferences,
  normalizeToolInputs,
  stripCaller,
  stripAdvisor,
  repairToolResults,
  validateMedia,
  sanitizeErrorResults,
  dropUnsignedThinking,
  dropOtherModelThinking,
  dropBlankText,

  // Turns that alternate, none of them empty
  tagMessages,
  mergeUsers,
  pairServerTools,
  dropOrphanedThinking,
  dropTrailingThinking,
  dropBlankAssistants,
  fillEmptyAssistant,
  mergeAssistants,
  toolCallsLast,

  // One result per call; then it is known which media are sent
  foldFollowingReminders,
  pairToolResults,
  foldRemainingReminders,
  toolReferenceBoundary,
  relocateToolReferenceTexts,
  capMedia,

  // Beginning, end and seams
  startWithUser,
  endWithUser,
  separateTexts,
  addUserContext,

  // Only now is it known what stands in front of an answer
  dropDetachedThinking,
];
