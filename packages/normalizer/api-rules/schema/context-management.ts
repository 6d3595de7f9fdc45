import type { Dialect } from './dialect.js';
import { variant } from './parts.js';
import { flag, integer, list, nullable, object, oneOf, tagged, text, textOr, type Shape } from './shape.js';

/** `context_management`; `undefined` when no beta header enables it (docs: Context editing; Compaction). */
export function contextManagement({ contextEditing, compaction }: Dialect): Shape | undefined {
  if (!contextEditing && !compaction) return undefined;
  const edits = { ...(contextEditing ? clearing : {}), ...(compaction ? compacting : {}) };
  return nullable(object({}, { edits: list(tagged(edits)) }));
}

const tokens = (min: number): Shape => variant({ value: integer({ min }) });
const uses = variant({ value: integer({ min: 0 }) });
const names = list(text());

const clearing = {
  clear_tool_uses_20250919: variant(
    {},
    {
      clear_at_least: nullable(tagged({ input_tokens: tokens(0) })),
      clear_tool_inputs: nullable((value, place, problems) => (Array.isArray(value) ? names : flag)(value, place, problems)),
      exclude_tools: nullable(names),
      keep: tagged({ tool_uses: uses }),
      trigger: tagged({ input_tokens: tokens(1), tool_uses: uses }),
    },
  ),
  clear_thinking_20251015: variant({}, { keep: textOr(tagged({ thinking_turns: tokens(1), all: variant({}) }), oneOf(['all'])) }),
};

const compacting = {
  compact_20260112: variant({}, { instructions: nullable(text()), pause_after_compaction: flag, trigger: nullable(tagged({ input_tokens: tokens(50_000) })) }),
};
