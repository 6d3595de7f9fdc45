import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import { fitImage } from '../../media/fit-image.js';
import { DomainError } from '../../../../packages/protocol/errors.js';
import { filesOf, imageNote, type PromptFile, roomFor, type UnfitFile, unfitFailure } from '../../../session/prompt/files/index.js';
import type { ContentBlock } from '../../../../packages/protocol/message/content.js';
import { isBlobSource } from '../../../../packages/protocol/message/content.js';
import { Images, UnusableImage } from '../../../ports/index.js';
import type { SessionState } from '../../../session/state/state.js';
import type { ImageBox } from '../../../../packages/normalizer/media/image-size.js';
import { profileFor } from '../../../../packages/normalizer/models/profiles.js';
import type { CheckpointLabel, CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

interface Fitted {
  readonly block: ContentBlock;
  readonly note: string | null;
}

/** Resizes the images of a prompt to the model's limits, concurrently, and rejects images that do not decode. */
@Injectable()
export class FitMedia implements Stage {
  constructor(
    private readonly images: Images,
    @Inject(SETTINGS) private readonly configured: Pick<Settings, 'MODEL_PROVIDER'>,
  ) {}

  async apply(prompt: PromptDraft, _state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const files = filesOf(prompt.submission);
    if (files.length === 0) return prompt;
    const room = roomFor(files, profileFor(prompt.settings.model, this.configured.MODEL_PROVIDER));
    const unfit: UnfitFile[] = [...room.unfit];
    const fit = (group: readonly PromptFile[]): Promise<readonly (Fitted | null)[]> =>
      Promise.all(
        group.map((file) =>
          this.#fit(prompt, file, room.box, signal).catch((error: unknown) => {
            if (!(error instanceof UnusableImage)) throw error;
            unfit.push({ file, reason: error.reason });
            return null;
          }),
        ),
      );
    try {
      const groups = await Promise.all([
        between(
          marks,
          'query_image_processing',
          files.filter(({ paste }) => paste === null),
          fit,
        ),
        between(
          marks,
          'query_pasted_image_processing',
          files.filter(({ paste }) => paste !== null),
          fit,
        ),
      ]);
      const fitted = groups.flat().filter((one) => one !== null);
      const rejected = unfit.length === 0 ? null : unfitFailure(files.flatMap((file) => unfit.find((one) => one.file === file) ?? []));
      const notes = fitted.flatMap(({ note, block }) => (note === null ? [] : [{ text: note, block }]));
      return { ...prompt, files: { blocks: fitted.map(({ block }) => block), notes, rejected }, callsModel: prompt.callsModel && rejected === null };
    } catch (error) {
      // The log has changed: the driver reads the next step from it.
      if (signal.aborted) throw new DomainError('version_conflict', 'The turn was requested to stop while its images were decoded.');
      throw error;
    }
  }

  async #fit(of: PromptDraft, file: PromptFile, box: ImageBox, signal: AbortSignal): Promise<Fitted> {
    const { block } = file;
    const { source } = block;
    if (block.type !== 'image' || !isBlobSource(source)) return { block, note: null };
    const { source: sent, image } = await fitImage(this.images, of, source, box, signal);
    return { block: { ...block, source: sent }, note: imageNote(file.name, image) };
  }
}

/** An empty group leaves no checkpoints. */
async function between<T>(
  marks: CheckpointRecorder,
  stage: 'query_image_processing' | 'query_pasted_image_processing',
  group: readonly PromptFile[],
  work: (group: readonly PromptFile[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (group.length === 0) return [];
  marks.mark(`${stage}_start` satisfies CheckpointLabel);
  const done = await work(group);
  marks.mark(`${stage}_end` satisfies CheckpointLabel);
  return done;
}
