import { z } from 'zod';

/** The inputs of the file tools, by the names that public clients of the model use for them. */

const file = z.string().min(1, 'is empty').max(4_096, 'is too long').describe("The file: relative to the session's folder, or absolute and inside it.");
const folder = z
  .string()
  .min(1, 'is empty')
  .max(4_096, 'is too long')
  .optional()
  .describe("Where to look: a folder inside the session's; all of it when left out.");
const lines = z.int().min(0).max(1_000).optional();

export const readInput = z.strictObject({
  file_path: file,
  offset: z.int().min(1).optional().describe('The first line to show, counted from 1.'),
  limit: z.int().min(1).optional().describe('How many lines to show; 2000 when left out.'),
});

export const writeInput = z.strictObject({ file_path: file, content: z.string().describe('All that the file is to hold.') });

export const editInput = z
  .strictObject({
    file_path: file,
    old_string: z
      .string()
      .min(1, 'is empty; use Write to make a file')
      .describe('The text to replace, exactly as it stands in the file; it must occur once only.'),
    new_string: z.string().describe('What to put in its place.'),
    replace_all: z.boolean().optional().describe('Replace every occurrence.'),
  })
  .refine(({ old_string, new_string }) => old_string !== new_string, { path: ['new_string'], message: 'is the same as old_string' });

const pattern = z
  .string()
  .min(1, 'is empty')
  .max(1_000, 'is too long')
  .refine((value) => !value.split(/[/\\]/).includes('..'), 'leads out of the folder');

export const globInput = z.strictObject({ pattern: pattern.describe('Such as **/*.ts or src/*.{json,yaml}.'), path: folder });

export const grepInput = z.strictObject({
  pattern: z
    .string()
    .min(1, 'is empty')
    .max(10_000, 'is too long')
    .refine(isExpression, 'is no regular expression of JavaScript')
    .describe('A regular expression of JavaScript, looked for in each line.'),
  path: folder.describe("A file or folder to look in; all of the session's folder when left out."),
  glob: pattern.optional().describe('Look in files with such names only, for instance *.ts or src/**/*.md.'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('content: the lines. files_with_matches: the names of the files (the default). count: how many lines in each file.'),
  '-i': z.boolean().optional().describe('Do not tell capitals from small letters.'),
  '-n': z.boolean().optional().describe('With content: number the lines, which is the default.'),
  '-A': lines.describe('With content: lines to show after each match.'),
  '-B': lines.describe('With content: lines to show before each match.'),
  '-C': lines.describe('With content: lines to show before and after.'),
  head_limit: z.int().min(1).optional().describe('Show no more lines of the answer than this.'),
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
