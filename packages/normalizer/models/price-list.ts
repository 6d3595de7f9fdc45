/** List prices of the model API on its own platform, as data. Each entry says where its figures were read, and when. */
export interface ListedPrice {
  readonly family: string;
  /** US dollars per million tokens. */
  readonly input: number;
  readonly output: number;
  /** What a token read from the prompt cache costs, as a share of the input price; absent: 0.1. */
  readonly cacheReadShare?: number;
  /** For requests with more input tokens than `above`. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
  /** The newest of its line, and open to everybody. */
  readonly isCurrent?: true;
  readonly source: string;
  /** Day of the reading. */
  readonly readOn: string;
}

const PRICING_PAGE = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', readOn: '2026-11-23' };
const MODEL_OVERVIEW = { source: 'https://platform.claude.com/docs/en/about-claude/models/overview', readOn: '2026-10-10' };
const GATEWAYS = { source: 'https://vercel.com/ai-gateway/models/claude-fable-5.2.md', readOn: '2026-11-23' };
/** The overview of the models gives Mythos the prices of Fable. */
const AS_FABLE = { source: 'the price of claude-fable-5-2', readOn: '2026-11-23' };

export const PRICE_LIST: readonly ListedPrice[] = [
  { family: 'claude-opus-4', input: 15, output: 75, ...PRICING_PAGE },
  { family: 'claude-opus-4-1', input: 15, output: 75, ...PRICING_PAGE },
  { family: 'claude-sonnet-4', input: 3, output: 15, ...PRICING_PAGE },
  { family: 'claude-haiku-4-5', input: 1, output: 5, ...PRICING_PAGE },
  { family: 'claude-sonnet-4-5', input: 3, output: 15, ...PRICING_PAGE },
  { family: 'claude-opus-4-5', input: 5, output: 25, ...PRICING_PAGE },
  { family: 'claude-sonnet-4-6', input: 3, output: 15, ...PRICING_PAGE },
  { family: 'claude-opus-4-6', input: 5, output: 25, ...PRICING_PAGE },
  { family: 'claude-opus-4-7', input: 5, output: 25, ...PRICING_PAGE },
  { family: 'claude-opus-4-8', input: 5, output: 25, ...PRICING_PAGE },
  { family: 'claude-mythos-preview', input: 25, output: 125, ...PRICING_PAGE },
  { family: 'claude-sonnet-5', input: 2, output: 10, ...MODEL_OVERVIEW },
  { family: 'claude-opus-5', input: 5, output: 25, ...PRICING_PAGE },
  { family: 'claude-fable-5', input: 10, output: 50, ...PRICING_PAGE },
  { family: 'claude-mythos-5', input: 10, output: 50, ...PRICING_PAGE },
  { family: 'claude-fable-5-1', input: 10, output: 50, cacheReadShare: 0.025, ...PRICING_PAGE },
  { family: 'claude-mythos-5-1', input: 10, output: 50, cacheReadShare: 0.025, ...PRICING_PAGE },
  { family: 'claude-fable-5-2', input: 8, output: 40, cacheReadShare: 0.025, isCurrent: true, ...GATEWAYS },
  { family: 'claude-mythos-5-2', input: 8, output: 40, cacheReadShare: 0.025, ...AS_FABLE },
  { family: 'claude-opus-5-5', input: 4, output: 20, cacheReadShare: 0.05, isCurrent: true, ...MODEL_OVERVIEW },
  { family: 'claude-sonnet-5-5', input: 2, output: 10, cacheReadShare: 0.05, isCurrent: true, ...MODEL_OVERVIEW },
  { family: 'claude-haiku-5-5', input: 0.1, output: 0.5, long: { above: 100_000, input: 0.5, output: 2.5 }, isCurrent: true, ...MODEL_OVERVIEW },
];
