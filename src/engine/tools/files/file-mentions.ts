import type { Attachment } from '../../../../packages/protocol/message/attachment.js';
import type { Json } from '../../../../packages/protocol/message/content.js';
import { mentionsOf } from '../../../session/prompt/expand-skill.js';
import { AttachmentProvider, type AttachmentRequest, type ToolSet } from '../../../ports/index.js';

/** `#L10` or `#L10-20` after a path. */
const LINES = /#L(\d{1,7})(?:-L?(\d{1,7}))?$/;

/** Reads the files of the session's folder that a prompt mentions as `@path`. A mention that is not a readable file stays text only: `@name` often means a person. */
export class FileMentions extends AttachmentProvider {
  override readonly name = 'mentions';

  constructor(private readonly files: Pick<ToolSet, 'run'>) {
    super();
  }

  override async gather({ tenantId, sessionId, text }: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]> {
    const mentions = mentionsOf({ body: '' }, text);
    const read = await Promise.all(
      mentions.map(async ({ path }): Promise<readonly Attachment[]> => {
        const [suffix = '', from, to = from] = LINES.exec(path) ?? [];
        const file = suffix === '' ? path : path.slice(0, -suffix.length);
        const range: { readonly [key: string]: Json } =
          from === undefined ? {} : { offset: Math.max(Number(from), 1), limit: Math.max(Number(to) - Number(from) + 1, 1) };
        const call = { tenantId, sessionId, turnId: '', toolUseId: '', name: 'Read', input: { file_path: file, ...range }, permissionMode: 'default' } as const;
        const { content, isError } = await this.files.run(call, () => {}, signal);
        if (isError || typeof content !== 'string') return []; // an image the model can read itself
        return [{ type: 'file', filename: file, ...(from === undefined ? {} : { lines: suffix.slice(1) }), content }];
      }),
    );
    return read.flat();
  }
}
