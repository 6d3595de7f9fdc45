import { z } from 'zod';
import { SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import { content } from './content.js';
import { json } from './json.js';
import { openUnion } from './open-union.js';

/** Attachments by `type`; docs/attachments.md says which of them the model sees, and how. Members are optional where clients write them. */

const text = z.string().optional();
const line = z.int().optional();

const attachment = <Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...shape }).meta({ id: `${pascal(type)}Attachment`, description });

/** `GitStatus` for `git_status`. */
function pascal(type: string): string {
  return type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

const selection = { filename: text, content: text, text, lineStart: line, lineEnd: line };
const diff = { diff: text, content: text, filename: text };
const mention = { name: text, agentType: text, content: text };
const todo = z.looseObject({ content: text, subject: text, text, status: text });
const todos = { todos: z.array(todo).optional(), items: z.array(todo).optional(), content: z.union([z.string(), z.array(todo)]).optional() };
const position = z.looseObject({ line: z.int(), character: z.int().optional() });
const diagnostic = z.looseObject({ message: text, severity: text, range: z.looseObject({ start: position.optional(), end: position.optional() }).optional() });
const memory = z.looseObject({ path: text, content: text });
const skill = z.looseObject({ name: z.string(), description: text });

const ofClients = [
  attachment('selected_lines_in_ide', 'Lines that the user selected in an editor.', selection),
  attachment('ide_selection', 'Text that the user selected in an editor.', selection),
  attachment('opened_file_in_ide', 'A file that the user opened in an editor.', { filename: text }),
  attachment('opened_file', 'A file that the user opened.', { filename: text }),
  attachment('edited_text_file', 'A file that was changed.', { filename: text, snippet: text }),
  attachment('directory', 'A folder that the user named, and its listing.', { filename: text, path: text, content: text }),
  attachment('mention', 'Something that the user named.', mention),
  attachment('agent_mention', 'An agent that the user named.', mention),
  attachment('mcp_resource', 'A resource of an MCP server.', {
    server: text,
    uri: text,
    name: text,
    content: text,
    error: z.string().optional().meta({ description: 'Why it could not be read; in place of `content`.' }),
  }),
  attachment('diff', 'Changes, as a diff.', diff),
  attachment('git_diff', 'Changes of a repository, as a diff.', diff),
  attachment('todo_list', 'A list of things to do.', todos),
  attachment('todo', 'A list of things to do.', todos),
  attachment('todo_reminder', 'A list of things to do.', todos),
  attachment('task_reminder', 'A list of things to do.', todos),
  attachment('diagnostics', 'Messages of an editor about files.', {
    files: z.array(z.looseObject({ uri: text, diagnostics: z.array(diagnostic).optional() })).optional(),
  }),
  attachment('nested_memory', 'Instructions from a file in a subfolder.', {
    path: text,
    content: z.union([z.string(), z.looseObject({ content: text })]).optional(),
  }),
  attachment('relevant_memories', 'Notes of earlier conversations.', { memories: z.array(memory).optional() }),
  attachment('plan_mode', 'Plan mode is on.', { planFilePath: text }),
  attachment('plan_mode_exit', 'Plan mode is off.', {}),
  attachment('permission_mode', 'The permission mode of the client.', { mode: text }),
  attachment('output_style', 'The style of the answers.', { style: text }),
  attachment(
    SYSTEM_MESSAGE,
    'What the operator of the session tells the model at this point: sent in the role `system` to models that take it in the middle of a conversation, to others as a reminder. Needs the right to configure the session.',
    { content: text, of: z.string().optional().meta({ description: 'Of one that a compaction has carried over: the message that said it first.' }) },
  ),
  attachment('queued_command', 'What a user wrote while the model worked, of a client with its own queue.', { prompt: content.optional() }),
];

const ofTheServer = [
  attachment('file', 'A file that the user named.', { filename: text, path: text, content: json.optional(), truncated: z.boolean().optional() }),
  attachment('memory', 'Instructions of the tenant or of the file CLAUDE.md; empty content revokes them.', {
    source: z.string().optional().meta({ description: '`tenant` or `workspace`.' }),
    path: text,
    content: text,
  }),
  attachment('memory_listing', "The files in the memory of the session's owner, where the model has it in the turn.", {
    userId: z.string().nullable().optional().meta({ description: 'Whose memory it is; null: the model has none any more.' }),
    files: z.array(z.looseObject({ path: text, bytes: z.int().optional(), version: z.int().optional() })).optional(),
    omitted: z.int().optional().meta({ description: 'Number of files that did not fit.' }),
    isChange: z.boolean().optional().meta({ description: 'Whether the model was told another listing of it before.' }),
  }),
  attachment('skill_listing', 'The skills that the model can call.', { skills: z.array(skill).optional(), content: text }),
  attachment('invoked_skills', 'Skills that were called before a compaction.', { skills: z.array(z.looseObject({ name: z.string(), text })).optional() }),
  attachment('git_status', "The git status of the session's folder.", { content: z.string() }),
  attachment('current_date', 'The date (UTC) at this point of the conversation.', { date: z.string() }),
  attachment('date_change', 'The date (UTC) has changed.', { newDate: z.string() }),
  attachment('compact_file_reference', 'A file that was read before a compaction.', { filename: text, displayPath: text }),
  attachment('hook_additional_context', 'Context that a hook added.', {
    hookName: text,
    hookEvent: text,
    toolUseId: text,
    content: z.union([z.string(), z.array(z.string())]).optional(),
  }),
  attachment('command_permissions', 'What a skill permits while its turn runs. For readers only.', {
    skill: text,
    allowedTools: z.array(z.string()).optional(),
    model: z.string().nullable().optional(),
  }),
];

export const attachmentSchema: z.ZodType = openUnion([...ofClients, ...ofTheServer] as never, 'OtherAttachment').meta({
  id: 'Attachment',
  description: 'Context by its `type`. Any other type is accepted, too; docs/attachments.md lists what the model is sent.',
});
