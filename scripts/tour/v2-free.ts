import type { Answer, Chapter } from './guide.ts';

/** A free account: made without a payment, one for each user and tier. */
export const freeAccount: Chapter = {
  title: 'A free account',
  async walk({ say, ask, until, check, gained }, told) {
    const headers = { Authorization: told.get('token') ?? '', 'X-Session-Token': told.get('session') ?? '' };
    const body = { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 };
    const request = { method: 'POST', path: '/v2/payments/free', body, headers, expect: 200 } as const;

    say('Ask for the free account; the answer tells how far it is.');
    const { body: account } = await ask({ ...request, headers: { ...headers, Prefer: 'wait=0' } });
    check('it is being made, or there', ['provisioning', 'evaluation'].includes(account.status));
    const path = `/v2/payments/prop-accounts/${account.id}`;
    const isOpen = ({ status }: Answer['body']) => status === 'evaluation';
    const open = await until({ method: 'GET', path, headers, expect: 200 }, isOpen);
    await gained({ kind: 'subaccount', subaccount_id: open.body.subaccount_id });

    say('A second request gets the same account; nothing is made again.');
    const again = await ask(request);
    check('it is the same account', again.body.id === account.id);
    await gained();
  },
};
