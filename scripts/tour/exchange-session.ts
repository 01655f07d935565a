import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Chapter } from './guide.ts';

/** Enrolls the key of a new wallet, with which the service signs its orders on the exchange. */
export const exchangeSession: Chapter = {
  title: 'A wallet on the exchange',
  async walk({ say, ask, check, gained }, told) {
    const privateKey = generatePrivateKey();
    const wallet = privateKeyToAddress(privateKey).toLowerCase();

    say('Enroll a key of a wallet: its own here, an agent that the exchange knows for it as well.');
    const body = { ex_wallet: wallet, private_key: privateKey, label: 'Tour' };
    const enrolled = await ask({ method: 'POST', path: '/v1/sessions', body, expect: 200 });
    check('the key is its wallet’s own and verified', enrolled.body.agent_address === wallet && enrolled.body.verified);
    const listed = await ask({ method: 'GET', path: '/v1/sessions', expect: 200 });
    const shown = JSON.stringify([enrolled.body, listed.body]);
    check('no answer shows the key', !shown.toLowerCase().includes(privateKey.slice(2)));
    await gained();

    say('A key of somebody else is refused.');
    const foreign = { ex_wallet: wallet, private_key: generatePrivateKey() };
    const refused = await ask({ method: 'POST', path: '/v1/sessions', body: foreign, expect: 422 });
    check('the problem has a stable code', refused.body.error.code === 'V1_KEY_NOT_AUTHORIZED');
    told.set('wallet', wallet);
  },
};
