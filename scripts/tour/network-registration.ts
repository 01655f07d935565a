import type { Chapter } from './guide.ts';

/** Registers a trader on the network: a subaccount of the platform's entity. */
export const networkRegistration: Chapter = {
  title: 'A trader on the network',
  async walk({ say, ask, check, gained }, told) {
    say('Without a key nothing is told.');
    const nobody = { method: 'GET', path: '/v1/intents/00000000-0000-4000-8000-000000000000' } as const;
    const refused = await ask({ ...nobody, headers: { Authorization: 'Bearer tpk_wrong' }, expect: 401 });
    check('the problem has a stable code', refused.body.error.code === 'V1_KEY_INVALID');

    say('Register a subaccount of 10,000 USD. Its id is the Trader-ID of everything that follows.');
    const asked = { asset_class: 'crypto', account_size: 10_000 };
    const { body } = await ask({ method: 'POST', path: '/v1/register/netvenue', body: asked, expect: 200 });
    const [made] = await gained({ kind: 'subaccount', subaccount_id: body.subaccount.subaccount_id });
    check('the ledger has the size that was asked for', made?.detail.account_size === asked.account_size);
    told.set('trader', String(body.subaccount.subaccount_id));
  },
};
