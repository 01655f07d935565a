import type { Chapter } from './guide.ts';

const ACCOUNT = '/v2/payments/prop-accounts/{id}';

/** A free account: created without a payment, at most one per user and tier. */
export const freeAccount: Chapter = {
  title: 'A free account',
  async walk({ say, user, until, check, gained }, notes) {
    const { api, settled } = user(notes.get('session') ?? '');
    const body = { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 } as const;

    say('Open the free account; the response shows its status.');
    const header = { Prefer: 'wait=0' };
    const account = await settled(api.POST('/v2/payments/free', { params: { header }, body }));
    check('it is being created or is ready', ['provisioning', 'evaluation'].includes(account.status));
    const read = () => settled(api.GET(ACCOUNT, { params: { path: { id: account.id } } }));
    const open = await until(read, ({ status }) => status === 'evaluation');
    await gained({ kind: 'subaccount', subaccount_id: open.subaccount_id ?? -1 });

    say('A second request gets the same account; nothing is created again.');
    const again = await settled(api.POST('/v2/payments/free', { body }));
    check('it is the same account', again.id === account.id);
    await gained();
  },
};
