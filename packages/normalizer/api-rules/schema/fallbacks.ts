import { variant } from './parts.js';
import { anything, either, integer, list, nullable, object, oneOf, text, type Shape } from './shape.js';

/** Models that answer instead of one that declined, and the block that such an answer starts with (docs: Refusals and fallback). */

const model = object({ model: text({ min: 1 }) });

export const fallbackBlock = { fallback: variant({ from: model, to: model }, { trigger: anything }) };

const DEFAULT = oneOf(['default']);

export const fallbacks = (thinking: Shape, outputConfig: Shape): Shape =>
  nullable(
    either(
      Array.isArray,
      list(
        object(
          { model: text({ min: 1 }) },
          {
            max_tokens: nullable(integer({ min: 1 })),
            output_config: nullable(outputConfig),
            speed: nullable(oneOf(['standard', 'fast'])),
            thinking: nullable(thinking),
          },
          true,
        ),
      ),
      DEFAULT,
    ),
  );
