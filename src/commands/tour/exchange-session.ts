import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Chapter } from './guide.ts';

/** Enrolls the key of a new wallet. The service signs the wallet's exchange orders with it. */
export const exchangeSession: Chapter = {
  title: 'A wallet on the exchange',
  async walk({ say, partner: { api, settled }, rejected, check, gained }, notes) {
    const privateKey = generatePrivateKey();
    const wallet = privateKeyToAddress(privateKey).toLowerCase();

    say('Enroll a key for a wallet. Here it is the wallet’s own key; an agent’s key works too.');
    const body = { ex_wallet: wallet, private_key: privateKey, label: 'Tour' };
    const enrolled = await settled(api.POST('/v1/sessions', { body }));
    check('the key is the wallet’s own and verified', enrolled.agent_address === wallet && enrolled.verified);
    const shown = JSON.stringify([enrolled, await settled(api.GET('/v1/sessions'))]);
    check('no response contains the key', !shown.toLowerCase().includes(privateKey.slice(2)));
    await gained();

    say('A key that belongs to another wallet is rejected.');
    const foreign = { ex_wallet: wallet, private_key: generatePrivateKey() };
    await rejected('V1_KEY_NOT_AUTHORIZED', settled(api.POST('/v1/sessions', { body: foreign })));
    notes.set('wallet', wallet);
  },
};
