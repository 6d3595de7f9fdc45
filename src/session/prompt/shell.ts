import { textOf } from '../../../packages/protocol/message/content.js';
import type { SystemMessage } from '../../../packages/protocol/message/message.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';

/** The tool that runs commands of bash mode. */
export const SHELL_TOOL = 'Bash';

/** The command of bash mode, under the prompt's uuid. The tags are those of Claude Code's session files, which models are trained on. */
export function shellInput(submission: Pick<Submission, 'uuid' | 'value'>, timestamp: string): Draft<SystemMessage> {
  return localCommand(submission.uuid, timestamp, 'info', `<bash-input>${textOf(submission.value)}</bash-input>`);
}

/** Output of the command: stdout and stderr combined. */
export function shellOutput({ text, isError }: { readonly text: string; readonly isError: boolean }, uuid: string, timestamp: string): Draft<SystemMessage> {
  return localCommand(uuid, timestamp, isError ? 'error' : 'info', `<bash-stdout>${text}</bash-stdout>`);
}

function localCommand(uuid: string, timestamp: string, level: 'info' | 'error', content: string): Draft<SystemMessage> {
  return { type: 'system', uuid, timestamp, subtype: 'local_command', level, content };
}
