const crypto = { market: 'crypto', asset_class: 'crypto', currency: 'usd' };
const forex = { market: 'forex', asset_class: 'forex', currency: 'usd' };

/**
 * Tiers of a new sandbox: a free demo, paid challenges of two markets, and those whose price or size is a magic value, so that
 * what may happen to a customer happens by itself.
 */
export const sandboxTiers = [
  { tier_id: 'tier_demo', account_size: 10_000, amount_cents: 0, ...crypto },
  { tier_id: 'tier_5k', account_size: 5_000, amount_cents: 7_400, ...crypto },
  { tier_id: 'tier_25k', account_size: 25_000, amount_cents: 19_900, ...crypto },
  { tier_id: 'tier_100k', account_size: 100_000, amount_cents: 99_900, ...crypto },
  { tier_id: 'tier_funded', account_size: 11_000, amount_cents: 11_100, ...crypto },
  { tier_id: 'tier_breached', account_size: 12_000, amount_cents: 11_100, ...crypto },
  { tier_id: 'tier_refunded', account_size: 10_000, amount_cents: 11_200, ...crypto },
  { tier_id: 'tier_disputed', account_size: 10_000, amount_cents: 11_300, ...crypto },
  { tier_id: 'tier_25k_forex', account_size: 25_000, amount_cents: 19_900, ...forex },
];
