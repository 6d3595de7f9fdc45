import { type Settings, SettingsError } from '../../platform/config/env.js';
import { pricedFamilies, type Prices, pricesOf } from '../../../packages/normalizer/models/prices.js';

/** The prices of the deployment. Throws for a family that does not exist: a misspelt price would be no price. */
export function priceTable({ MODEL_PRICES: given }: Pick<Settings, 'MODEL_PRICES'>): Prices {
  const families = pricedFamilies();
  const unknown = Object.keys(given).filter((family) => !families.includes(family));
  if (unknown.length > 0) {
    throw new SettingsError(`MODEL_PRICES: there is no model family ${unknown.join(', ')}; a price is for one of ${families.join(', ')}.`);
  }
  return pricesOf(given);
}
