import { z } from 'zod';

/** The inputs of the file tools, by the names that public clients of the model use for them. */

const file = z
  .string()
  .min(1, 'must not be empty')
  .max(4_096, 'is too long')
  .describe("The file: relative to the session's folder, or absolute. Folders of skills can be read, too.");
const folder = z.string().min(1, 'must not be empty').max(4_096, 'is too long').optional().describe("The folder to search; the session's folder by default.");
const lines = z.int().min(0).max(1_000).optional();

export const readInput = z.strictObject({
  file_path: file,
  offset: z.int().min(1).optional().describe('The number of the first line to show; the first line is 1.'),
  limit: z.int().min(1).optional().describe('How many lines to show; 2000 by default.'),
});

export const writeInput = z.strictObject({ file_path: file, content: z.string().describe('The whole content of the file.') });

export const editInput = z
  .strictObject({
    file_path: file,
    old_string: z
      .string()
      .min(1, 'must not be empty; use Write to create a file')
      .describe('The text to replace, exactly as in the file; it must occur exactly once unless replace_all is set.'),
    new_string: z.string().describe('The replacement.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence.'),
  })
  .refine(({ old_string, new_string }) => old_string !== new_string, { path: ['new_string'], message: 'is the same as old_string' });

const pattern = z
  .string()
  .min(1, 'must not be empty')
  .max(1_000, 'is too long')
  .refine((value) => !value.split(/[/\\]/).includes('..'), 'must not contain ..');

export const globInput = z.strictObject({ pattern: pattern.describe('Such as **/*.ts or src/*.{json,yaml}.'), path: folder });

export const grepInput = z.strictObject({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(10_000, 'is too long')
    .refine(isExpression, 'is not a valid JavaScript regular expression')
    .describe('A JavaScript regular expression, matched against each line.'),
  path: folder.describe("A file or folder to search; the session's folder by default."),
  glob: pattern.optional().describe('Search only files that match, for example *.ts or src/**/*.md.'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('content: the matching lines. files_with_matches: the names of the files (default). count: the number of matching lines per file.'),
  '-i': z.boolean().optional().describe('Ignore case.'),
  '-n': z.boolean().optional().describe('With content: number the lines (default true).'),
  '-A': lines.describe('With content: lines to show after each match.'),
  '-B': lines.describe('With content: lines to show before each match.'),
  '-C': lines.describe('With content: lines to show before and after.'),
  head_limit: z.int().min(1).optional().describe('The maximum number of lines in the result.'),
});

function isExpression(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}

export type ReadInput = z.infer<typeof readInput>;
export type WriteInput = z.infer<typeof writeInput>;
export type EditInput = z.infer<typeof editInput>;
export type GlobInput = z.infer<typeof globInput>;
export type GrepInput = z.infer<typeof grepInput>;
