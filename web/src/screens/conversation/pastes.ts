import { type ContentBlock, fileBlock, filesOf, type Prompt, type TranscriptMessage } from '@verbatim/client';
import { plural } from '../../app/words.ts';

export type Paste =
  | { readonly type: 'text'; readonly content: string; readonly name: string }
  | { readonly type: 'image'; readonly content: string; readonly mediaType: string; readonly name: string }
  | { readonly type: 'file'; readonly block: ContentBlock; readonly name: string };

export type Submission = Pick<Prompt, 'input' | 'mode' | 'pastedContents' | 'whenBusy'>;

export const labelOf = (text: string): string => `Pasted text, ${plural(text.split('\n').length, 'line')}`;

export async function pasteOf(file: File): Promise<Paste> {
  const block = await fileBlock(file);
  if (block.type === 'image' && block.source.type === 'base64') {
    return { type: 'image', content: block.source.data, mediaType: block.source.media_type, name: file.name || 'Pasted image' };
  }
  return { type: 'file', block: block.type === 'document' ? { ...block, title: file.name } : block, name: file.name };
}

/** The files of an earlier prompt, which another prompt may have, too. */
export const pastesOf = (message: TranscriptMessage): readonly Paste[] =>
  filesOf(message).map((block, index) => {
    const title = block.type === 'document' && typeof block.title === 'string' ? block.title : '';
    return { type: 'file', block, name: title || `${block.type === 'image' ? 'Image' : 'Document'} ${index + 1}` };
  });

/** Pastes are referred to by number in the text; files are blocks before it. */
export function promptBody(text: string, pastes: readonly Paste[], whenBusy: 'enqueue' | 'interrupt'): Submission {
  if (text.startsWith('!') && text.length > 1) return { input: text.slice(1).trim(), mode: 'bash', whenBusy };
  const pastedContents: NonNullable<Prompt['pastedContents']> = {};
  const references: string[] = [];
  const files: ContentBlock[] = [];
  for (const paste of pastes) {
    if (paste.type === 'file') {
      files.push(paste.block);
      continue;
    }
    const number = Object.keys(pastedContents).length + 1;
    pastedContents[number] =
      paste.type === 'text' ? { type: 'text', content: paste.content } : { type: 'image', content: paste.content, mediaType: paste.mediaType };
    references.push(paste.type === 'text' ? `[Pasted text #${number}]` : `[Image #${number}]`);
  }
  const all = [text, ...references].filter((part) => part !== '').join('\n');
  const input = files.length === 0 ? all : [...files, ...(all === '' ? [] : [{ type: 'text' as const, text: all }])];
  return { input, whenBusy, ...(references.length === 0 ? {} : { pastedContents }) };
}
