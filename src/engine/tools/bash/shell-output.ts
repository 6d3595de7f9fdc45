import { withoutSplitPair } from '../../../../packages/protocol/message/text.js';
import { OutputBuffer } from '../../../platform/child-process/output-buffer.js';

/** Control characters that a terminal would act on; tabs, line ends and escapes stay. */
// oxlint-disable-next-line eslint/no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/** The output of a command: half of `limit` characters from its beginning and half from its end, with a notice for what lies between. */
export class ShellOutput {
  readonly #buffer: OutputBuffer;

  constructor(private readonly limit: number) {
    const half = Math.ceil(limit / 2);
    this.#buffer = new OutputBuffer(half, Math.max(limit - half, 1));
  }

  /** Characters so far, kept or not. */
  get length(): number {
    return this.#buffer.length;
  }

  add(chunk: Uint8Array): void {
    this.#buffer.add(chunk);
  }

  /** The last characters so far. */
  last(characters: number): string {
    const { head, tail } = this.#buffer;
    return printable(`${tail.length < characters ? head : ''}${tail}`.slice(-characters));
  }

  /** The whole output, or its beginning, a notice, and its end. Nothing may be added afterwards. */
  end(): { readonly text: string; readonly isTruncated: boolean } {
    const { head, tail, length } = this.#buffer.end();
    if (length <= this.limit) return { text: printable(head + tail), isTruncated: false };
    const first = withoutSplitPair(head);
    const last = tail.replace(/^[\udc00-\udfff]/, '');
    const omitted = length - first.length - last.length;
    return {
      text: `${printable(first)}\n\n[${omitted} characters were left out here: the output is longer than ${this.limit}]\n\n${printable(last)}`,
      isTruncated: true,
    };
  }
}

function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '\ufffd').toWellFormed();
}
