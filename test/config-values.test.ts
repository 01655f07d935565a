import { expect } from 'chai';
import { readConfig } from '../src/config.ts';
import { testSettings } from './support/service.ts';

const settings = {
  ...testSettings('postgres://nobody@127.0.0.1:1/nowhere', {
    minerUrl: 'http://127.0.0.1:1',
    validatorUrl: 'http://127.0.0.1:1',
  }),
  PROCESSOR_SECRET_KEY: 'sk_test_own',
  PROCESSOR_WEBHOOK_SECRET: 'whsec_own',
};
const read = (more: Record<string, string>) => () => readConfig({ ...settings, ...more });

describe('the values of settings', () => {
  for (const name of ['NETVENUE_MINER_KEY', 'NETVENUE_VALIDATOR_KEY', 'PROCESSOR_SECRET_KEY'])
    it(`of ${name} fit into a header`, () => {
      for (const text of ['a key of two lines\nand more', '“sk_test_quoted_by_hand”'])
        expect(read({ [name]: text }), text).to.throw(new RegExp(`^Setting ${name}: has a character that no header`));
      expect(read({ [name]: 'sk_test-0123456789+/=.~' })).not.to.throw();
    });

  it('end with no line feed, as those that are read from files do', () => {
    const names = ['NETVENUE_MINER_KEY', 'PROCESSOR_SECRET_KEY', 'MAIL_FROM', 'NODE_ENV'];
    process.env.NETVENUE_MINER_KEY = 'the-key\n';
    process.env.PROCESSOR_SECRET_KEY = 'sk_test_own\r\n';
    process.env.MAIL_FROM = 'service@example.com\n';
    process.env.NODE_ENV = 'production\n';
    try {
      expect(read({})).to.throw(/^Setting PUBLIC_URL: must be https in production/);
      delete process.env.NODE_ENV;
      const { NETVENUE_MINER_KEY, PROCESSOR_SECRET_KEY, MAIL_FROM } = read({})();
      expect([NETVENUE_MINER_KEY, PROCESSOR_SECRET_KEY, MAIL_FROM]).to.deep.equal([
        'the-key',
        'sk_test_own',
        'service@example.com',
      ]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  it('name a sender with an address: mails without one are sent, and nobody receives them', () => {
    for (const text of ['Trading Partner Service', 'Service <>', '<@>'])
      expect(read({ MAIL_FROM: text }), text).to.throw(/^Setting MAIL_FROM: an address/);
    for (const text of ['no-reply@example.com', 'Trading, Inc. <no-reply@example.com>', '"A" <a@b>'])
      expect(read({ MAIL_FROM: text }), text).not.to.throw();
  });

  it('name the network of the exchange that they name', () => {
    const [live, trial] = ['https://api.hyperliquid.xyz', 'https://api.hyperliquid-testnet.xyz/'];
    for (const [EXVENUE_URL, EXVENUE_NETWORK] of [
      [live, 'testnet'],
      [trial, 'mainnet'],
    ] as const)
      expect(read({ EXVENUE_URL, EXVENUE_NETWORK }), EXVENUE_URL).to.throw(/^Setting EXVENUE_NETWORK: not the network/);
    for (const [EXVENUE_URL, EXVENUE_NETWORK] of [
      [live, 'mainnet'],
      [trial, 'testnet'],
      ['http://127.0.0.1:1', 'mainnet'],
    ] as const)
      expect(read({ EXVENUE_URL, EXVENUE_NETWORK }), EXVENUE_URL).not.to.throw();
  });
});
