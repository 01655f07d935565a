import { ask, askPage } from '../api.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { badge, code, money } from '../format.js';
import { routeTo } from '../route.js';
import { makeButton, pager, rowButton, table } from '../table.js';

/** @typedef {import('../api.js').Schemas['Tier']} Tier */
/** @typedef {import('../fields.js').Field} Field */
/** @typedef {import('../views.js').Again} Again */

/** Challenge tiers: their prices and sizes, and which are on sale. @type {import('../views.js').View} */
export const tiers = {
  name: 'tiers',
  group: 'Money',
  title: 'Tiers',
  async render(route, again) {
    const { items, next } = await askPage('/v2/admin/tiers', { query: { cursor: route.query.cursor } });
    const make = makeButton('make-tier', 'Make a tier', 'putTier', () => edit(null, again));
    const note = h('p', {}, 'What was bought keeps its price and size; a change counts for later checkouts.');
    return {
      content: [note, make, table('Tiers, cheapest first', columns(again), items, 'No tier yet.'), pager(route, next)],
    };
  },
};

/** @param {Again} again @returns {import('../table.js').Column<Tier>[]} */
const columns = (again) => [
  ['Tier', ({ tier_id }) => code(tier_id)],
  ['Market', ({ market }) => market],
  ['Asset class', ({ asset_class }) => asset_class],
  ['Account size', ({ account_size }) => `${account_size.toLocaleString('en')} USD`],
  ['Price', ({ amount_cents, currency }) => (amount_cents === 0 ? 'free' : money(amount_cents, currency))],
  ['State', ({ active }) => badge(active ? 'on sale' : 'not on sale')],
  ['Audit', ({ tier_id }) => h('a', { href: routeTo('audit', { subject: tier_id }) }, `Changes of ${tier_id}`)],
  [
    'Actions',
    (tier) => [
      rowButton('Change', tier.tier_id, 'putTier', async () => edit(await present(tier), again)),
      rowButton(tier.active ? 'Take off sale' : 'Put on sale', tier.tier_id, 'putTier', async () =>
        toggle(await present(tier), again),
      ),
    ],
  ],
];

/** What a tier is now: a change names all of it, so an old page would bring back its price. @param {Tier} tier */
async function present({ tier_id, ...shown }) {
  const { items } = await askPage('/v2/admin/tiers', { query: { limit: 500 } });
  return items.find((each) => each.tier_id === tier_id) ?? { tier_id, ...shown };
}

/** Makes a tier, or changes one. @param {Tier | null} tier @param {Again} again */
async function edit(tier, again) {
  const done = await act({
    title: tier ? `Change ${tier.tier_id}` : 'Make a tier',
    says: tier ? ['Payments and accounts that exist keep their price and size.'] : [],
    fields: [...(tier ? [] : [idField]), ...termFields(tier)],
    button: tier ? 'Change' : 'Make',
    run: ({ tier_id = tier?.tier_id, account_size, amount_cents, ...rest }, key) =>
      put(tier_id, { ...numbers({ account_size, amount_cents }), ...rest, active: tier?.active ?? true }, key),
  });
  if (done) await again(`${done.tier_id} is saved.`);
}

/** @param {Tier} tier @param {Again} again */
async function toggle({ tier_id, ...terms }, again) {
  const done = await act({
    title: terms.active ? `Take ${tier_id} off sale` : `Put ${tier_id} on sale`,
    says: [terms.active ? 'No checkout can name it any more. Open payments of it go on.' : 'Checkouts can name it.'],
    button: terms.active ? 'Take off sale' : 'Put on sale',
    isDanger: terms.active,
    run: (_, key) => put(tier_id, { ...terms, active: !terms.active }, key),
  });
  if (done) await again(`${tier_id} is ${done.active ? 'on sale' : 'not on sale'}.`);
}

/** @param {string} tier_id @param {object} body @param {string} key */
const put = (tier_id, body, key) => ask('put', '/v2/admin/tiers/{tier_id}', { path: { tier_id }, body, key });

/** @param {Record<string, string>} texts */
const numbers = (texts) => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));

/** @type {Field} */
const idField = {
  name: 'tier_id',
  label: 'Id',
  hint: 'tier_ and lower-case letters, digits and underscores. It cannot be changed.',
  more: { pattern: 'tier_[a-z0-9_]{1,60}', maxlength: 65 },
};

/** @param {Tier | null} tier @returns {Field[]} */
const termFields = (tier) => [
  { name: 'market', label: 'Market', value: tier?.market ?? 'crypto', more: { maxlength: 64 } },
  {
    name: 'asset_class',
    label: 'Asset class',
    kind: 'select',
    options: ['crypto', 'forex', 'equities', 'commodities', 'all_markets'],
    value: tier?.asset_class ?? 'crypto',
  },
  {
    name: 'account_size',
    label: 'Account size in USD',
    kind: 'number',
    value: tier?.account_size ?? null,
    more: { min: 0.01, max: 100_000, step: 'any' },
  },
  {
    name: 'amount_cents',
    label: 'Price in the smallest unit of its currency',
    hint: '19900 is 199.00 in usd, 19,900 in jpy. 0: free, once per user. Otherwise at least 50.',
    kind: 'number',
    value: tier?.amount_cents ?? null,
    more: { min: 0, max: 99_999_999, step: 1 },
  },
  {
    name: 'currency',
    label: 'Currency',
    hint: 'Three lower-case letters.',
    value: tier?.currency ?? 'usd',
    more: { pattern: '[a-z]{3}', maxlength: 3 },
  },
];
