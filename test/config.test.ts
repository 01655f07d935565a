import { expect } from 'chai';
import { readConfig } from '../src/config.ts';
import { testSettings } from './support/service.ts';

const PAYEE = `0x${'01'.repeat(20)}`;
const settings = testSettings('postgres://nobody@127.0.0.1:1/nowhere', {
  minerUrl: 'http://127.0.0.1:1',
  validatorUrl: 'http://127.0.0.1:1',
});

describe('the settings', () => {
  it('report the missing address past the pooler', () => {
    expect(() => readConfig({ ...settings, DATABASE_POOLER: 'transaction' })).to.throw(
      /^Setting DATABASE_DIRECT_URL: needed/,
    );
  });

  it('accept a pooler next to a direct address', () => {
    const { directUrl, DATABASE_URL } = readConfig({
      ...settings,
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:2/nowhere',
    });

    expect([DATABASE_URL, directUrl]).to.deep.equal([settings.DATABASE_URL, 'postgres://nobody@127.0.0.1:2/nowhere']);
  });

  for (const [production, source] of [
    [{ NODE_ENV: 'production' }, 'by the environment'],
    [{ PUBLIC_URL: 'https://partners.example.com' }, 'by an https address'],
  ] as const) {
    it(`reject every fixed secret of the sandbox in production, ${source}`, () => {
      const read = (more: Record<string, string>) => () =>
        readConfig({ ...settings, REGISTRATION_PAYEES: PAYEE, ...production, ...more });

      for (const [name, value] of [
        ['NETVENUE_MINER_KEY', 'sandbox-miner-key'],
        ['NETVENUE_MINER_KEY', 'sandbox-miner-key:tenant'],
        ['NETVENUE_VALIDATOR_KEY', 'sandbox-validator-key'],
        ['PROCESSOR_SECRET_KEY', 'sk_test_sandbox'],
        ['PROCESSOR_WEBHOOK_SECRET', 'whsec_sandbox_processor'],
        ['PROCESSOR_WEBHOOK_SECRET', 'whsec_real, whsec_sandbox_processor'],
      ] as const)
        expect(read({ [name]: value }), value).to.throw(new RegExp(`^Setting ${name}: a secret of the sandbox`));
      expect(read({})).not.to.throw();
    });

    it(`require the payees of registrations in production, ${source}`, () => {
      expect(() => readConfig({ ...settings, ...production })).to.throw(
        /^Setting REGISTRATION_PAYEES: needed in production: the addresses/,
      );
    });
  }

  it('accept the secrets of the sandbox where nobody else reaches the service', () => {
    expect(() => readConfig({ ...settings, NETVENUE_MINER_KEY: 'sandbox-miner-key' })).not.to.throw();
  });

  it('pin the payees of registrations where they are set', () => {
    const [a, b] = [`0x${'aB'.repeat(20)}`, `0x${'01'.repeat(20)}`];
    const payeesOf = (more: Record<string, string>) => readConfig({ ...settings, ...more }).REGISTRATION_PAYEES;

    expect(payeesOf({})).to.equal(null);
    expect(payeesOf({ REGISTRATION_PAYEES: `${a}, ${b}` })).to.deep.equal([a.toLowerCase(), b]);
    expect(() => payeesOf({ REGISTRATION_PAYEES: `${a},me` })).to.throw(/^Setting REGISTRATION_PAYEES/);
  });
});
