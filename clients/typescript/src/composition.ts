import type { ContentBlock, DocumentBlock, ImageBlock, Resubmission } from './api.js';

type Pastes = NonNullable<Resubmission['pastedContents']>;
type Attachments = NonNullable<Resubmission['attachments']>;

/** What a prompt has beside its text, as a person sees it: each can be removed by itself. */
export type Piece =
  /** `at`: its place among the blocks that the prompt had; absent: it was added. */
  | { readonly type: 'file'; readonly block: DocumentBlock | ImageBlock; readonly at?: number }
  /** `isNamed`: the text refers to it, as `[Pasted text #1]` or `[Image #1]`; where it does not, the reference is added to its end. */
  | { readonly type: 'paste'; readonly number: number; readonly paste: Pastes[string]; readonly isNamed: boolean }
  | { readonly type: 'attachment'; readonly attachment: Attachments[number] };

/**
 * A prompt while a person writes or edits it: one text, and pieces beside it. `submissionOf(compositionOf(submission))` is the submission again, every member of it;
 * what is changed in between is all that differs.
 */
export interface Composition {
  readonly text: string;
  readonly pieces: readonly Piece[];
  /** What it was made of. */
  readonly from: Resubmission;
}

export const NO_COMPOSITION: Composition = { text: '', pieces: [], from: { input: '' } };

export function compositionOf(submission: Resubmission): Composition {
  const { input, pastedContents = {}, attachments = [] } = submission;
  const text = textOf(input);
  const named = referencesIn(text);
  return {
    text,
    from: submission,
    pieces: [
      ...blocksOf(input).flatMap((block, at): readonly Piece[] => (isText(block) ? [] : [{ type: 'file', block: block as DocumentBlock | ImageBlock, at }])),
      ...Object.entries(pastedContents).map(([number, paste]): Piece => {
        return { type: 'paste', number: Number(number), paste, isNamed: named.has(referenceTo(Number(number), paste)) };
      }),
      ...attachments.map((attachment): Piece => ({ type: 'attachment', attachment })),
    ],
  };
}

export function submissionOf({ text, pieces, from }: Composition): Resubmission {
  const { input: _, pastedContents: __, attachments: ___, ...rest } = from;
  const pastes = pieces.filter((piece) => piece.type === 'paste');
  const attachments = pieces.flatMap((piece) => (piece.type === 'attachment' ? [piece.attachment] : []));
  const files = pieces.filter((piece) => piece.type === 'file');
  return {
    ...rest,
    input: inputOf(from.input, withReferences(text, pastes), files),
    ...(pastes.length === 0 && !isEmpty(from.pastedContents) ? {} : { pastedContents: Object.fromEntries(pastes.map(({ number, paste }) => [number, paste])) }),
    ...(attachments.length === 0 && !isEmpty(from.attachments) ? {} : { attachments }),
  };
}

/** With another paste, under the next number. */
export function withPaste({ pieces, ...rest }: Composition, paste: Pastes[string]): Composition {
  const number = Math.max(0, ...pieces.map((piece) => (piece.type === 'paste' ? piece.number : 0))) + 1;
  return { ...rest, pieces: [...pieces, { type: 'paste', number, paste, isNamed: true }] };
}

/** Without one of its pieces, and without what refers to it. */
export function withoutPiece({ text, pieces, from }: Composition, piece: Piece): Composition {
  const left = pieces.filter((other) => other !== piece);
  if (piece.type !== 'paste') return { text, pieces: left, from };
  const reference = referenceTo(piece.number, piece.paste);
  return {
    text: text.replace(REFERENCE, (found, kind: string, number: string) => (`${kind} ${Number(number)}` === reference ? '' : found)),
    pieces: left,
    from,
  };
}

const REFERENCE = /\[(Pasted text|Image) #(\d{1,9})(?: \+\d{1,9} lines)?\]/g;

const kindOf = ({ type }: Pastes[string]): string => (type === 'text' ? 'Pasted text' : 'Image');
const referenceTo = (number: number, paste: Pastes[string]): string => `${kindOf(paste)} ${number}`;

const referencesIn = (text: string): ReadonlySet<string> => new Set([...text.matchAll(REFERENCE)].map(([, kind, number]) => `${kind} ${Number(number)}`));

function withReferences(text: string, pastes: readonly Extract<Piece, { type: 'paste' }>[]): string {
  const named = referencesIn(text);
  const missing = pastes.filter(({ number, paste, isNamed }) => isNamed && !named.has(referenceTo(number, paste)));
  if (missing.length === 0) return text;
  return [...(text === '' ? [] : [text]), ...missing.map(({ number, paste }) => `[${kindOf(paste)} #${number}]`)].join('\n');
}

/** The blocks in their order, with other texts and files: a text that is not the same takes the place of the first one, further files stand before it. */
function inputOf(before: Resubmission['input'], text: string, files: readonly Extract<Piece, { type: 'file' }>[]): Resubmission['input'] {
  if (typeof before === 'string' && files.length === 0) return text;
  const old = blocksOf(before);
  const isSame = text === textOf(before);
  const first = old.findIndex(isText);
  const kept = old.flatMap((block, index): readonly ContentBlock[] => {
    if (!isText(block)) return files.some(({ at }) => at === index) ? [block] : [];
    if (isSame) return [block];
    return index === first && text !== '' ? [{ ...block, text }] : [];
  });
  const added = files.flatMap(({ block, at }) => (at === undefined ? [block] : []));
  const firstText = kept.findIndex(isText);
  const place = firstText === -1 ? kept.length : firstText;
  return [...kept.slice(0, place), ...added, ...kept.slice(place), ...(first === -1 && text !== '' ? [{ type: 'text' as const, text }] : [])];
}

const blocksOf = (input: Resubmission['input']): readonly ContentBlock[] =>
  typeof input === 'string' ? (input === '' ? [] : [{ type: 'text', text: input }]) : input;

const isText = (block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> => block.type === 'text';

const textOf = (input: Resubmission['input']): string =>
  blocksOf(input)
    .flatMap((block) => (isText(block) ? [block.text] : []))
    .join('\n\n');

const isEmpty = (members: object | undefined): boolean => members !== undefined && Object.keys(members).length === 0;
