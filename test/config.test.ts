import { expect } from 'chai';
import { readConfig } from '../src/config.ts';
import { testSettings } from './support/service.ts';

const settings = testSettings('postgres://nobody@127.0.0.1:1/nowhere', {
  minerUrl: 'http://127.0.0.1:1',
  validatorUrl: 'http://127.0.0.1:1',
});

describe('the settings', () => {
  it('name the address past the pooler that is missing', () => {
    expect(() => readConfig({ ...settings, DATABASE_POOLER: 'transaction' })).to.throw(
      /^Setting DATABASE_DIRECT_URL: needed/,
    );
  });

  it('take a pooler beside an address past it', () => {
    const { directUrl, DATABASE_URL } = readConfig({
      ...settings,
      DATABASE_POOLER: 'transaction',
      DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:2/nowhere',
    });

    expect([DATABASE_URL, directUrl]).to.deep.equal([settings.DATABASE_URL, 'postgres://nobody@127.0.0.1:2/nowhere']);
  });

  it("refuse more than the whole of the exchange's budget", () => {
    expect(() => readConfig({ ...settings, EXVENUE_BUDGET_SHARE: '1.1' })).to.throw(/^Setting EXVENUE_BUDGET_SHARE/);
  });
});
