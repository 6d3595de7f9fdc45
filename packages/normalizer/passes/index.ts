import type { Pass } from '../pass.js';
import { addUserContext } from './add-user-context.js';
import { attachmentsToUser } from './attachments-to-user.js';
import { capMedia } from './cap-media.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';
import { dropBlankText } from './drop-blank-text.js';
import { dropDeclinedAttempt } from './drop-declined-attempt.js';
import { dropDetachedThinking } from './drop-detached-thinking.js';
import { dropUnattributedThinking } from './drop-unattributed-thinking.js';
import { dropUnknownBlocks } from './drop-unknown-blocks.js';
import { dropOtherModelThinking } from './drop-other-model-thinking.js';
import { dropOrphanedThinking } from './drop-orphaned-thinking.js';
import { dropRejectedMedia } from './drop-rejected-media.js';
import { dropReaderOnly } from './drop-reader-only.js';
import { dropSummarized } from './drop-summarized.js';
import { dropTrailingThinking } from './drop-trailing-thinking.js';
import { dropUnsignedThinking } from './drop-unsigned-thinking.js';
import { dropVirtual } from './drop-virtual.js';
import { dropWithdrawn } from './drop-withdrawn.js';
import { endWithUser } from './end-with-user.js';
import { fillEmptyAssistant } from './fill-empty-assistant.js';
import { fitBlockShapes } from './fit-block-shapes.js';
import { flattenBlocks } from './flatten-blocks.js';
import { foldFollowingReminders } from './fold-following-reminders.js';
import { foldRemainingReminders } from './fold-remaining-reminders.js';
import { localCommandToUser } from './local-command-to-user.js';
import { mergeAssistants } from './merge-assistants.js';
import { mergeFragments } from './merge-fragments.js';
import { mergeUsers } from './merge-users.js';
import { nameSpeakers } from './name-speakers.js';
import { normalizeToolInputs } from './normalize-tool-inputs.js';
import { pairServerTools } from './pair-server-tools.js';
import { pairToolResults } from './pair-tool-results.js';
import { relocateToolReferenceTexts } from './relocate-tool-reference-texts.js';
import { reorderAttachments } from './reorder-attachments.js';
import { repairToolResults } from './repair-tool-results.js';
import { sanitizeErrorResults } from './sanitize-error-results.js';
import { separateTexts } from './separate-texts.js';
import { splitSystemMessages } from './split-system-messages.js';
import { startWithUser } from './start-with-user.js';
import { stripAdvisor } from './strip-advisor.js';
import { stripCaller } from './strip-caller.js';
import { stripInternalInputs } from './strip-internal-inputs.js';
import { stripToolReferences } from './strip-tool-references.js';
import { tagMessages } from './tag-messages.js';
import { toolCallsLast } from './tool-calls-last.js';
import { toolReferenceBoundary } from './tool-reference-boundary.js';
import { unifyCitations } from './unify-citations.js';
import { validateMedia } from './validate-media.js';
import { wellFormedText } from './well-formed-text.js';

/** The pipeline from the context entries to the messages of a request. The order matters: each pass names the passes that must run before it. */
export const PASSES: readonly Pass[] = [
  // Which entries are sent, and in what order
  dropSummarized,
  dropWithdrawn,
  reorderAttachments,
  dropVirtual,
  dropRejectedMedia,
  dropReaderOnly,
  localCommandToUser,
  mergeFragments,
  attachmentsToUser,

  // Every block is one that the API accepts in its message
  dropDeclinedAttempt,
  fitBlockShapes,
  flattenBlocks,
  dropUnknownBlocks,
  wellFormedText,
  stripToolReferences,
  normalizeToolInputs,
  stripInternalInputs,
  stripCaller,
  stripAdvisor,
  repairToolResults,
  validateMedia,
  sanitizeErrorResults,
  dropUnsignedThinking,
  dropOtherModelThinking,
  dropBlankText,

  // Turns alternate and are not empty
  nameSpeakers, // before tags are appended and messages merged
  tagMessages,
  mergeUsers,
  pairServerTools,
  dropOrphanedThinking,
  dropTrailingThinking,
  dropBlankAssistants,
  fillEmptyAssistant,
  mergeAssistants,
  toolCallsLast,

  // One result per call; after that it is known which media are sent
  foldFollowingReminders,
  pairToolResults,
  foldRemainingReminders,
  toolReferenceBoundary,
  relocateToolReferenceTexts,
  capMedia,
  unifyCitations,

  // Start, end, and separators
  startWithUser,
  endWithUser,
  splitSystemMessages,
  separateTexts,
  addUserContext,

  // The prefix of every answer is final
  dropUnattributedThinking,
  dropDetachedThinking,
];
