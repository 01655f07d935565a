import type { Chapter } from './guide.ts';

/** Registers a trader on the network: a subaccount of the platform's entity. */
export const networkRegistration: Chapter = {
  title: 'A trader on the network',
  async walk({ say, as, partner, rejected, check, gained }, notes) {
    say('Without a valid key every request is rejected.');
    const unknown = as({ partnerKey: 'tpk_wrong' });
    await rejected('V1_KEY_INVALID', unknown.settled(unknown.api.GET('/v1/sessions')));

    say('Register a subaccount of 10,000 USD. Its id is the Trader-ID of all later requests.');
    const body = { asset_class: 'crypto', account_size: 10_000 } as const;
    const { subaccount } = await partner.settled(partner.api.POST('/v1/register/netvenue', { body }));
    const [made] = await gained({ kind: 'subaccount', subaccount_id: subaccount.subaccount_id });
    check('the ledger has the requested size', made?.detail.account_size === body.account_size);
    notes.set('trader', String(subaccount.subaccount_id));
  },
};
