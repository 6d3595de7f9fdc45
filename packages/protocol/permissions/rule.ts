/** A parsed permission rule: a tool's name, and for some tools a pattern for the call. */
export interface Rule {
  readonly text: string;
  readonly tool: string;
  /** Null: matches every call of the tool. */
  readonly pattern: string | null;
}

/** Origin of a rule: the operator, the tenant, the session's owner, or a command for its turn. */
export type RuleSource = (typeof RULE_SOURCES)[number];
export const RULE_SOURCES = ['deployment', 'tenant', 'session', 'command'] as const;

export interface SourcedRule extends Rule {
  readonly source: RuleSource;
}

/** All rules that apply to a call. Lists decide precedence, sources do not. */
export interface RuleBook {
  readonly allow: readonly SourcedRule[];
  readonly deny: readonly SourcedRule[];
  readonly ask: readonly SourcedRule[];
}

const RULE = /^([A-Za-z0-9_-]{1,128}\*?)(?:\(([^]*)\))?$/;

const ANY = /^(?::)?\*$/;

/** Null when the text is not a rule. `Tool(*)` is the same as `Tool`. */
export function parseRule(text: string): Rule | null {
  const found = RULE.exec(text.trim());
  const [, tool, pattern] = found ?? [];
  if (tool === undefined || (tool.endsWith('*') && !tool.startsWith('mcp__'))) return null;
  if (pattern === undefined) return { text, tool, pattern: null };
  const wanted = pattern.trim();
  if (wanted === '') return null;
  return { text, tool, pattern: ANY.test(wanted) ? null : wanted };
}

/** What is wrong with a rule; null when it is valid. */
export function ruleFault(text: string): string | null {
  return parseRule(text) ? null : "is not a rule; use a tool's name, such as Bash, or a name and a pattern, such as Bash(git commit:*)";
}

export function ruleBook(sources: readonly (readonly [RuleSource, PermissionRules])[]): RuleBook {
  const all = (list: keyof PermissionRules, read: (text: string) => Rule | null): readonly SourcedRule[] =>
    sources.flatMap(([source, rules]) =>
      rules[list].flatMap((text) => {
        const rule = read(text);
        return rule ? [{ ...rule, source }] : [];
      }),
    );
  return { allow: all('allow', parseRule), deny: all('deny', atLeast), ask: all('ask', atLeast) };
}

/** A deny or ask rule that cannot be parsed applies to the whole tool. */
function atLeast(text: string): Rule {
  return parseRule(text) ?? { text, tool: text.split('(')[0]?.trim() ?? '', pattern: null };
}

/** Tool calls that are allowed, denied, or need a person's decision. A rule is a tool's name, or `Name(pattern)`. */
export interface PermissionRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
}

export const NO_RULES: PermissionRules = { allow: [], deny: [], ask: [] };
