type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };

const isObject = (value: Json | undefined): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Where an answer differs from the documented one. Members that the documentation leaves out may be there. `…` is anything: within a text any text, alone any
 * value, at the end of a list any further values.
 */
export function differences(documented: Json, answer: Json | undefined, at = 'the answer'): readonly string[] {
  if (documented === '…') return answer === undefined ? [`${at} is missing`] : [];
  if (Array.isArray(documented)) {
    if (!Array.isArray(answer)) return [`${at} is ${JSON.stringify(answer)} instead of a list`];
    const isOpen = documented.at(-1) === '…';
    const items: readonly Json[] = isOpen ? documented.slice(0, -1) : documented;
    if (!isOpen && answer.length !== items.length) return [`${at} has ${answer.length} values instead of ${items.length}`];
    return items.flatMap((item, index) => differences(item, answer[index], `${at}[${index}]`));
  }
  if (isObject(documented)) {
    if (!isObject(answer)) return [`${at} is ${JSON.stringify(answer)} instead of an object`];
    return Object.entries(documented).flatMap(([name, value]) => differences(value, answer[name], `${at}.${name}`));
  }
  const isSame = typeof documented === 'string' && typeof answer === 'string' ? asPattern(documented, '^', '$').test(answer) : documented === answer;
  return isSame ? [] : [`${at} is ${JSON.stringify(answer)} instead of ${JSON.stringify(documented)}`];
}

/** A text in which `…` stands for any text. */
export const asPattern = (text: string, before = '', after = ''): RegExp =>
  new RegExp(`${before}${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('…', '[^]*?')}${after}`);

/** The last JSON value of an output: all of it, or its last line. */
export function lastJson(output: string): Json {
  const text = output.trim();
  try {
    return JSON.parse(text) as Json;
  } catch {
    return JSON.parse(text.slice(text.lastIndexOf('\n') + 1)) as Json;
  }
}
