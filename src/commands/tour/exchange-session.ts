import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Chapter } from './guide.ts';

/** Enrolls the key of a new wallet. The service signs the wallet's exchange orders with it. */
export const exchangeSession: Chapter = {
  title: 'A wallet on the exchange',
  async walk({ say, ask, check, gained }, notes) {
    const privateKey = generatePrivateKey();
    const wallet = privateKeyToAddress(privateKey).toLowerCase();

    say('Enroll a key for a wallet. Here it is the wallet’s own key; an agent’s key works too.');
    const body = { ex_wallet: wallet, private_key: privateKey, label: 'Tour' };
    const enrolled = await ask({ method: 'POST', path: '/v1/sessions', body, expect: 200 });
    check('the key is the wallet’s own and verified', enrolled.body.agent_address === wallet && enrolled.body.verified);
    const listed = await ask({ method: 'GET', path: '/v1/sessions', expect: 200 });
    const shown = JSON.stringify([enrolled.body, listed.body]);
    check('no response contains the key', !shown.toLowerCase().includes(privateKey.slice(2)));
    await gained();

    say('A key that belongs to another wallet is rejected.');
    const foreign = { ex_wallet: wallet, private_key: generatePrivateKey() };
    const rejected = await ask({ method: 'POST', path: '/v1/sessions', body: foreign, expect: 422 });
    check('the error has a stable code', rejected.body.error.code === 'V1_KEY_NOT_AUTHORIZED');
    notes.set('wallet', wallet);
  },
};
