import { expect } from 'chai';
import { readConfig } from '../src/config.ts';
import { testSettings } from './support/service.ts';

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

  it('reject more than the whole budget of the exchange', () => {
    expect(() => readConfig({ ...settings, EXVENUE_BUDGET_SHARE: '1.1' })).to.throw(/^Setting EXVENUE_BUDGET_SHARE/);
  });
});
