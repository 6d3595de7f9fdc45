import { type ListedPrice, PRICE_LIST } from './price-list.js';
import { FAMILIES } from './families.js';
import { type OwnPrice, ownModels } from './own-models.js';

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that was read from the prompt cache. */
  readonly cacheRead: number;
  /** Input that was written to the prompt cache for five minutes, and for one hour. */
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  /** Other prices for requests with more input tokens than `above`, cached ones included. */
  readonly long?: Omit<Price, 'long'> & { readonly above: number };
}

/** By family, such as `claude-opus-5-5`. */
export type Prices = Readonly<Record<string, Price>>;

/** Tokens of one request, by what they cost. */
export interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
}

/** docs: Pricing. A cache write costs 1.25 times the input price for five minutes, twice for an hour. */
function price(input: number, output: number, cacheReadShare = 0.1): Price {
  return { input, output, cacheRead: input * cacheReadShare, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
}

const priceOf = ({ input, output, cacheReadShare, long }: ListedPrice): Price => ({
  ...price(input, output, cacheReadShare),
  ...(long ? { long: { above: long.above, ...price(long.input, long.output, cacheReadShare) } } : {}),
});

/** List prices of the model API on its own platform. Families without an entry have the price of UNKNOWN_PRICE. */
export const LIST_PRICES: Prices = Object.fromEntries(PRICE_LIST.map((entry) => [entry.family, priceOf(entry)]));

/** For models that no table has: the highest of the models that are current. Usage reports them as `unknown`. */
export const UNKNOWN_PRICE: Price = PRICE_LIST.filter(({ isCurrent }) => isCurrent)
  .map(priceOf)
  .reduce((highest, one) => (one.output > highest.output ? one : highest));

function ownPrice({ input, output, cacheRead, cacheWrite, cacheWriteHour }: OwnPrice): Price {
  const listed = price(input, output);
  return {
    input,
    output,
    cacheRead: cacheRead ?? listed.cacheRead,
    cacheWrite: cacheWrite ?? listed.cacheWrite,
    cacheWriteHour: cacheWriteHour ?? listed.cacheWriteHour,
  };
}

/**
 * Prices of a deployment: the list prices with those that its settings replace. Members that an entry leaves out follow from its input price, as in the list.
 * A model of the deployment without a price of its own has that of the built-in family it is based on.
 */
export function pricesOf(given: Readonly<Record<string, OwnPrice>>): Prices {
  const replaced = Object.fromEntries(Object.entries(given).map(([family, own]) => [family, ownPrice(own)]));
  const families: Prices = { ...LIST_PRICES, ...replaced };
  const models = ownModels().flatMap(({ label, base, price: own }) => {
    const found = own ? ownPrice(own) : base === undefined ? undefined : families[base];
    return found ? [[label, found] as const] : [];
  });
  return { ...families, ...Object.fromEntries(models), ...replaced };
}

/** Names that a price can be given for. */
export const pricedFamilies = (): readonly string[] => [
  ...new Set([...Object.keys(FAMILIES).map((key) => `claude-${key}`), ...ownModels().map(({ label }) => label), 'unknown']),
];

/** What a request costs, in billionths of a US dollar. */
export function costOf(prices: Prices, family: string, tokens: PricedTokens): number {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = priceFor(listed(prices, family) ?? UNKNOWN_PRICE, tokens);
  const perMillion =
    tokens.input * input + tokens.output * output + tokens.cacheRead * cacheRead + tokens.cacheWrite * cacheWrite + tokens.cacheWriteHour * cacheWriteHour;
  return Math.round(perMillion * 1_000);
}

/**
 * What it costs that `missed` of the tokens of a request were not read from the prompt cache, in billionths of a US dollar: what was paid for them less what
 * reading them costs. They are taken from the tokens that were written to the cache first: that is what happens to a prefix that is cached again. Null: no
 * price is known for the family.
 */
export function costOfMiss(prices: Prices, family: string, tokens: PricedTokens, missed: number): number | null {
  const known = listed(prices, family);
  if (!known) return null;
  const price = priceFor(known, tokens);
  let rest = missed;
  const part = (most: number, paid: number): number => {
    const taken = Math.min(rest, most);
    rest -= taken;
    return taken * (paid - price.cacheRead);
  };
  const perMillion = part(tokens.cacheWriteHour, price.cacheWriteHour) + part(tokens.cacheWrite, price.cacheWrite) + part(tokens.input, price.input);
  return Math.round(perMillion * 1_000);
}

const listed = (prices: Prices, family: string): Price | undefined => (Object.hasOwn(prices, family) ? prices[family] : prices['unknown']);

function priceFor(price: Price, tokens: PricedTokens): Omit<Price, 'long'> {
  const { long } = price;
  return long && tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWriteHour > long.above ? long : price;
}
