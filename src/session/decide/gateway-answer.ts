import type { ModelMessage, Usage } from '../../../packages/protocol/message/message.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import { MAX_TOKENS } from '../state/usage.js';

/** Counts that may be null: the API has not counted them. */
const NULLABLE: ReadonlySet<string> = new Set(['cache_creation_input_tokens', 'cache_read_input_tokens']);
const COUNTS = ['input_tokens', 'output_tokens', ...NULLABLE];

/**
 * The answer of an upstream as it is recorded. A proxy may leave out what the API always sends, or send it in another form: then `instead` takes its place, and what came is kept in the member
 * `unreadable`, by name. An answer in the form of the API is recorded as it is. Its content is made of blocks.
 */
export function recordableAnswer(answer: ModelMessage, instead: Pick<ModelMessage, 'id' | 'model'>): ModelMessage {
  const given = answer as Readonly<Record<string, unknown>>;
  const usage = given['usage'] === undefined ? undefined : readableUsage(given['usage']);
  const readable: Readonly<Record<string, unknown>> = {
    id: typeof given['id'] === 'string' ? given['id'] : instead.id,
    role: 'assistant',
    model: typeof given['model'] === 'string' ? given['model'] : instead.model,
    stop_reason: typeof given['stop_reason'] === 'string' ? given['stop_reason'] : null,
    ...(usage === undefined ? {} : { usage }),
  };
  const other = Object.keys(readable).filter((name) => readable[name] !== given[name]);
  if (other.length === 0) return answer;
  const unreadable = other.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  return { ...answer, ...readable, ...(unreadable.length === 0 ? {} : { unreadable: Object.fromEntries(unreadable) }) } as unknown as ModelMessage;
}

/** The same object when all of its counts are counts. */
function readableUsage(given: unknown): Usage {
  if (!isObject(given)) return {};
  const wrong = COUNTS.filter((name) => given[name] !== undefined && !isCount(given[name]) && !(given[name] === null && NULLABLE.has(name)));
  return (wrong.length === 0 ? given : Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.includes(name)))) as Usage;
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
