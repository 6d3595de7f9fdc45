import { Injectable } from '@nestjs/common';
import type { Content, ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import { type FileBlock, filesInContent, imageNote, mapFiles } from '../../session/prompt/files/index.js';
import type { OfSession } from './fit-image.js';
import { type Inspected, MediaIntake, type StoredFile, type Unusable } from './media-intake.js';

interface Result {
  readonly toolUseId: string;
  readonly content: Content;
  readonly toolUseResult?: Json;
}

export interface KeptResult extends Result {
  /** A line for the model about each image; `inner` is the index of its block in `content`. */
  readonly notes: readonly { readonly text: string; readonly inner: number }[];
}

/** Takes in the images and documents of tool results, whether the server or the client ran the tool. */
@Injectable()
export class ResultMedia {
  constructor(private readonly intake: MediaIntake) {}

  inspect({ content }: Result): Promise<readonly Inspected[]> {
    return this.intake.inspect(filesInContent(content));
  }

  /** The result with its files stored. `unusable` gives the block in place of one that cannot be sent, or throws. */
  async keep<R extends Result>(
    of: OfSession,
    result: R,
    model: string,
    signal: AbortSignal,
    unusable: (file: Unusable, index: number) => ContentBlock = ({ block, fault }) => leftOut(block, fault),
    inspected?: readonly Inspected[],
  ): Promise<R & KeptResult> {
    const outcomes = await this.intake.store(of, inspected ?? (await this.inspect(result)), model, signal);
    const notes: { readonly text: string; readonly inner: number }[] = [];
    const counts = { image: 0, document: 0 };
    const placed = (block: FileBlock, index: number): ContentBlock => {
      const name = `${block.type} ${(counts[block.type] += 1)} of the result of ${result.toolUseId}`;
      const outcome: StoredFile | Unusable | undefined = outcomes.get(block);
      if (outcome === undefined) return block;
      if ('fault' in outcome) return unusable(outcome, index);
      if (outcome.image !== null) notes.push({ text: imageNote(name, outcome.image), inner: index });
      return outcome.block;
    };
    const content = mapFiles(result.content, (block, { index }) => placed(block, index));
    const { toolUseResult } = result;
    const stored = toolUseResult === undefined ? {} : { toolUseResult: await this.intake.outOfLine(of, toolUseResult) };
    return { ...result, content, notes, ...stored };
  }
}

/** In place of a file that cannot be sent. */
export const leftOut = ({ type }: FileBlock, fault: string): ContentBlock => ({
  type: 'text',
  text: `[${type === 'image' ? 'An image' : 'A document'} is left out: it ${fault}]`,
});
