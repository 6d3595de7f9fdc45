import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../protocol/message/content.js';
import { renderAttachment } from './attachment-text.js';
import { runs } from '../../test/support/property-runs.js';

const shown = (type: string, members: { readonly [key: string]: Json } = {}): string =>
  renderAttachment({ type, ...members }, members['source'] === 'tenant')
    .content.map((block) => (block.type === 'text' ? block.text : block.type))
    .join('|');

const TYPES = [
  'selected_lines_in_ide',
  'ide_selection',
  'opened_file',
  'opened_file_in_ide',
  'edited_text_file',
  'file',
  'directory',
  'mention',
  'agent_mention',
  'mcp_resource',
  'diff',
  'git_diff',
  'todo',
  'todo_list',
  'todo_reminder',
  'task_reminder',
  'diagnostics',
  'memory',
  'nested_memory',
  'relevant_memories',
  'skill_listing',
  'plan_mode',
  'plan_mode_exit',
  'permission_mode',
  'output_style',
  'compact_file_reference',
  'current_date',
  'date_change',
  'git_status',
  'queued_command',
  'hook_blocking_error',
  'constructor',
  '__proto__',
  'toString',
  'something_else',
];

describe('an attachment of a known kind', () => {
  it.each<[string, { readonly [key: string]: Json }, string]>([
    [
      'selected_lines_in_ide',
      { filename: '/a.ts', lineStart: 3, lineEnd: 5, content: 'let a' },
      'The user has selected lines 3 to 5 of /a.ts in the editor. It may or may not matter here:\nlet a',
    ],
    ['ide_selection', { text: 'let a' }, 'The user has selected some text in the editor. It may or may not matter here:\nlet a'],
    [
      'edited_text_file',
      { filename: '/a.ts', snippet: '1 let a' },
      'The file /a.ts was changed by the user or by a program, and not by mistake. Take the change as it is.\nThe lines around it now:\n1 let a',
    ],
    [
      'file',
      { filename: '/a.ts', content: { type: 'text', file: { filePath: '/a.ts', content: 'let a' } }, truncated: true },
      'The user named the file /a.ts. It holds:\nlet a\n[The file is longer; this is its beginning]',
    ],
    ['file', { path: 'a.ts', content: 'let a' }, 'The user named the file a.ts. It holds:\nlet a'],
    ['directory', { path: 'src', content: 'a.ts\nb.ts' }, 'The user named the folder src. It holds:\na.ts\nb.ts'],
    ['agent_mention', { agentType: 'reviewer' }, 'The user wants reviewer to be used for this.'],
    ['mention', { name: 'Ada', content: 'the one with the engine' }, 'The user named Ada:\nthe one with the engine'],
    ['mcp_resource', { server: 'notes', uri: 'note:1', content: 'x' }, 'The user named the resource note:1 of notes. It holds:\nx'],
    ['diff', { content: '+a' }, 'Changes that are not committed yet, as a diff:\n+a'],
    ['diff', { filename: 'a.ts', diff: '+a' }, 'Changes in a.ts, as a diff:\n+a'],
    [
      'todo_list',
      { todos: [{ content: 'build', status: 'completed' }, { content: 'test' }] },
      'The list of things to do, as it stands:\n- [completed] build\n- [pending] test',
    ],
    ['todo', { content: [] }, 'The list of things to do is empty.'],
    [
      'diagnostics',
      { files: [{ uri: 'a.ts', diagnostics: [{ message: 'no such name', severity: 'Error', range: { start: { line: 4 } } }] }] },
      'The editor reports:\na.ts, line 5, Error: no such name',
    ],
    [
      'memory',
      { path: 'CLAUDE.md', content: 'Use tabs.' },
      'Instructions from the file CLAUDE.md, to be followed in this whole conversation; they take the place of any earlier ones from there:\nUse tabs.',
    ],
    [
      'memory',
      { source: 'tenant', content: 'Be kind.' },
      'Instructions from those who run this place, to be followed in this whole conversation; they take the place of any earlier ones from there:\nBe kind.',
    ],
    ['memory', { source: 'tenant', content: '' }, 'The instructions from those who run this place no longer apply.'],
    ['nested_memory', { path: 'a/CLAUDE.md', content: { content: 'Use tabs.' } }, 'Instructions from the file a/CLAUDE.md:\nUse tabs.'],
    [
      'relevant_memories',
      { memories: [{ path: 'm.md', content: 'likes tea' }] },
      'What was remembered from earlier conversations and may matter here:\n## m.md\nlikes tea',
    ],
    [
      'skill_listing',
      { skills: [{ name: 'commit', description: 'Writes a commit.' }, { name: 'bare' }] },
      'Skills that can be called with the Skill tool:\n- commit: Writes a commit.\n- bare',
    ],
    ['skill_listing', { skills: [] }, 'There are no skills to call any more.'],
    ['skill_listing', { content: '- commit' }, 'Skills that can be called with the Skill tool:\n- commit'],
    ['plan_mode_exit', {}, 'Plan mode is over: changes may be made again.'],
    ['permission_mode', { mode: 'acceptEdits' }, 'The permission mode is now acceptEdits.'],
    ['current_date', { date: '2031-02-03' }, 'Today is 2031-02-03.'],
    [
      'git_status',
      { content: '## main\n M a.ts' },
      "The git status of the session's folder at this point of the conversation; it is not updated:\n## main\n M a.ts",
    ],
    ['date_change', { newDate: '2031-02-03' }, 'The date has changed. Today is 2031-02-03.'],
    [
      'hook_blocking_error',
      { hookName: 'PostToolUse:Edit', blockingError: { blockingError: 'a type is wrong' } },
      'PostToolUse:Edit hook blocking error: a type is wrong',
    ],
  ])('%s reads well', (type, members, expected) => {
    expect(shown(type, members)).toBe(expected);
  });

  it('does not speak for those who run the place unless the server wrote it', () => {
    const { content } = renderAttachment({ type: 'memory', source: 'tenant', content: 'Be kind.' });
    expect(JSON.stringify(content)).not.toContain('those who run this place');
  });

  it('that lacks what its kind needs is listed as any other', () => {
    expect(shown('file', { name: 'a.ts' })).toBe('Attached: file\nname: a.ts');
    expect(shown('memory', { content: 'short answers' })).toBe('What was remembered from earlier conversations and may matter here:\nshort answers');
    expect(shown('diff', { changes: 3 })).toBe('Attached: diff\nchanges: 3');
    expect(shown('constructor', { a: 'b' })).toBe('Attached: constructor\na: b');
  });

  it('is text or nothing, whatever it holds', () => {
    const name = fc.constantFrom(
      'filename',
      'path',
      'content',
      'text',
      'todos',
      'files',
      'diagnostics',
      'skills',
      'memories',
      'name',
      'source',
      'range',
      'blockingError',
      'prompt',
      'lineStart',
      'file',
    );
    const value = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.constant(null),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.dictionary(name, value), (type, members) => {
        const { content } = renderAttachment({ ...members, type });
        for (const block of content) if (block.type === 'text') expect(block.text.trim()).not.toBe('');
      }),
      runs(1_000),
    );
  });
});
