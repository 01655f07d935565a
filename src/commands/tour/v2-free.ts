import type { Chapter, TourResponse } from './guide.ts';

/** A free account: created without a payment, at most one per user and tier. */
export const freeAccount: Chapter = {
  title: 'A free account',
  async walk({ say, ask, until, check, gained }, notes) {
    const headers = { Authorization: notes.get('token') ?? '', 'X-Session-Token': notes.get('session') ?? '' };
    const body = { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 };
    const request = { method: 'POST', path: '/v2/payments/free', body, headers, expect: 200 } as const;

    say('Open the free account; the response shows its status.');
    const { body: account } = await ask({ ...request, headers: { ...headers, Prefer: 'wait=0' } });
    check('it is being created or is ready', ['provisioning', 'evaluation'].includes(account.status));
    const path = `/v2/payments/prop-accounts/${account.id}`;
    const isOpen = ({ status }: TourResponse['body']) => status === 'evaluation';
    const open = await until({ method: 'GET', path, headers, expect: 200 }, isOpen);
    await gained({ kind: 'subaccount', subaccount_id: open.body.subaccount_id });

    say('A second request gets the same account; nothing is created again.');
    const again = await ask(request);
    check('it is the same account', again.body.id === account.id);
    await gained();
  },
};
