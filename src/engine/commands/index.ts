import { CompactHandler } from './compact.js';
import { ForkSessionHandler } from './fork-session.js';
import { PostToolResultsHandler } from './post-tool-results.js';
import { RegenerateHandler } from './regenerate.js';
import { RewindHandler } from './rewind.js';
import { SubmitPromptHandler } from './submit-prompt.js';

/** The handler classes of commands that several features send. */
export const ENGINE_HANDLERS = [CompactHandler, ForkSessionHandler, PostToolResultsHandler, RegenerateHandler, RewindHandler, SubmitPromptHandler];
