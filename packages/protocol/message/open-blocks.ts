import type { ContentBlock, Json } from './content.js';
import { inputOf } from './written-input.js';

type Fields = { [key: string]: unknown };

/** A block under construction. Mutable, because text arrives in thousands of deltas. */
interface OpenBlock {
  readonly fields: Fields;
  /** The `partial_json` received so far; null when there was none. */
  json: string | null;
  /** The array in `fields` that citations are added to; null before the first one. */
  citations: unknown[] | null;
}

/** The content blocks of an answer as far as they are written. */
export class OpenBlocks {
  readonly #blocks: OpenBlock[] = [];

  get length(): number {
    return this.#blocks.length;
  }

  start(block: Readonly<Fields>): void {
    this.#blocks.push({ fields: { ...block }, json: null, citations: null });
  }

  /** Adds a delta of the model API (docs: Streaming messages). False: that block has not started. */
  extend(index: number, delta: Readonly<Fields>): boolean {
    const block = this.#blocks[index];
    if (!block) return false;
    const { fields } = block;
    switch (delta['type']) {
      case 'text_delta':
        fields['text'] = textOf(fields['text']) + textOf(delta['text']);
        break;
      case 'thinking_delta':
        fields['thinking'] = textOf(fields['thinking']) + textOf(delta['thinking']);
        break;
      case 'signature_delta':
        fields['signature'] = textOf(fields['signature']) + textOf(delta['signature']);
        break;
      case 'input_json_delta':
        block.json = (block.json ?? '') + textOf(delta['partial_json']);
        break;
      case 'citations_delta':
        if (block.citations === null) fields['citations'] = block.citations = Array.isArray(fields['citations']) ? [...(fields['citations'] as unknown[])] : [];
        block.citations.push(delta['citation']);
        break;
      case 'compaction_delta': {
        const { type: _type, ...members } = delta;
        Object.assign(fields, members);
        break;
      }
      default: // unknown delta types are forwarded but not stored
    }
    return true;
  }

  /**
   * The blocks, and the arguments that are not JSON, by the id of their call: those of a call that the token limit or a lost connection cut off. Its input is `{}`, with which it must not run.
   */
  built(): { readonly content: readonly ContentBlock[]; readonly unparsed: Readonly<Record<string, string>> } {
    const unparsed: { [id: string]: string } = {};
    const content = this.#blocks.map((block) => {
      const { json } = block;
      const fields = fieldsOf(block);
      if (!json) return fields;
      try {
        return { ...fields, input: inputOf(json) };
      } catch {
        unparsed[String(fields['id'])] = json;
        return { ...fields, input: {} };
      }
    });
    return { content: content as unknown as readonly ContentBlock[], unparsed };
  }

  /** One delta for each block, which starts it as far as it is written. */
  deltas(): readonly { readonly index: number; readonly start: Json; readonly delta?: Json }[] {
    return this.#blocks.map((block, index) => ({
      index,
      start: fieldsOf(block) as Json,
      ...(block.json === null ? {} : { delta: { type: 'input_json_delta', partial_json: block.json } }),
    }));
  }
}

/** As they are now: later deltas do not change them. */
const fieldsOf = ({ fields, citations }: OpenBlock): Fields => ({ ...fields, ...(citations === null ? {} : { citations: [...citations] }) });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
