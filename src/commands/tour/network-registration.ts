import type { Chapter } from './guide.ts';

/** Registers a trader on the network: a subaccount of the platform's entity. */
export const networkRegistration: Chapter = {
  title: 'A trader on the network',
  async walk({ say, ask, check, gained }, notes) {
    say('Without a valid key every request is rejected.');
    const nobody = { method: 'GET', path: '/v1/intents/00000000-0000-4000-8000-000000000000' } as const;
    const rejected = await ask({ ...nobody, headers: { Authorization: 'Bearer tpk_wrong' }, expect: 401 });
    check('the error has a stable code', rejected.body.error.code === 'V1_KEY_INVALID');

    say('Register a subaccount of 10,000 USD. Its id is the Trader-ID of all later requests.');
    const wanted = { asset_class: 'crypto', account_size: 10_000 };
    const { body } = await ask({ method: 'POST', path: '/v1/register/netvenue', body: wanted, expect: 200 });
    const [made] = await gained({ kind: 'subaccount', subaccount_id: body.subaccount.subaccount_id });
    check('the ledger has the requested size', made?.detail.account_size === wanted.account_size);
    notes.set('trader', String(body.subaccount.subaccount_id));
  },
};
