import type { Route } from '../upstream.ts';
import type { World } from './world.ts';

/** The catalogue of miners and the status of an address. See venues/registrar.md#miners. */
export const viewRoutes = (world: World): Route[] => [
  { method: 'GET', path: '/api/entity', response: () => ({ status: 200, body: [catalogueOf(world)] }) },
  {
    method: 'GET',
    path: '/api/registration-status',
    response: ({ query }) => {
      const address = String(query.get('hl_address')).toLowerCase();
      return { status: 200, body: { status: statusOf(world, address), hl_address: address } };
    },
  },
];

const catalogueOf = ({ minerSlug, tiers }: World) => ({
  name: minerSlug,
  slug: minerSlug,
  pricing_tiers: tiers.map(({ accountSize, priceUsdc }) => ({
    account_size: accountSize,
    cost: priceUsdc,
    profit_split: { trader_pct: 80, miner_pct: 20 },
  })),
  payout_cadence: 'weekly',
  available_account_sizes: tiers.map(({ accountSize }) => accountSize),
});

/**
 * The status at the network: a row that the miner rejected is not there. A new account is not visible for `invisibleMs`.
 * The registrar asks the miner again for an account that was rejected.
 */
function statusOf(world: World, address: string): string {
  const { rows, miningMs, invisibleMs } = world;
  const row = rows.get(address);
  const earlier = world.earlier.get(address);
  const ageMs = row ? Date.now() - row.writtenMs : 0;
  if (!row || ageMs < invisibleMs) return earlier ?? 'not_found';
  if (!row.registered && ageMs >= miningMs) {
    row.registered = true;
    world.create(row);
  }
  return row.registered ? 'active' : (earlier ?? 'not_found');
}
