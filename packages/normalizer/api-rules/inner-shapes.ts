import type { Profile } from '../models/profiles.js';
import { contentBlocks, documentText, resultBlocks } from './schema/blocks.js';
import { dialectOf } from './schema/dialect.js';
import { fit, UNFIT, type Shape } from './schema/shape.js';

/**
 * Repairs stored content to the shapes by which the checker judges a request, so that both read one table. The answer is the same object when it fits as it
 * is, and `undefined` when it cannot be repaired. Members that depend on more than their block (ids, inputs, media data, signatures) are left alone.
 */
export const fitBlock = (block: unknown, profile: Profile): unknown => fitted(shapesFor(profile).message, block);

/** The same for a block inside a tool result. */
export const fitResultBlock = (block: unknown, profile: Profile): unknown => fitted(shapesFor(profile).result, block);

/** The same for the content of a document: a text, or a list of text blocks. */
export const fitDocumentText = (content: unknown): unknown => fitted(documentText, content);

interface BlockShapes {
  readonly message: Shape;
  readonly result: Shape;
}

const SHAPES = new Map<boolean, BlockShapes>();

/** No beta header is assumed but the advisor's, which has its own pass. */
function shapesFor(profile: Profile): BlockShapes {
  const { mediaByReference } = profile;
  const known = SHAPES.get(mediaByReference);
  if (known) return known;
  const dialect = dialectOf(profile, ['advisor-tool-2026-03-01']);
  const shapes = { message: contentBlocks(dialect), result: resultBlocks(dialect) };
  SHAPES.set(mediaByReference, shapes);
  return shapes;
}

function fitted(shape: Shape, value: unknown): unknown {
  const result = fit(shape, value);
  return result === UNFIT ? undefined : result;
}
