import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { call } from '../support/authenticate.ts';

describe('authenticate an operator', () => {
  it('takes an operator’s token from the header only with its prefix, and from the cookie of its name', async () => {
    const cookies = (cookie: string) => call('getCurrentAdmin', { cookie });

    expect((await call('getCurrentAdmin', { authorization: 'Bearer adm_1' })).given).to.deep.equal([
      ['admins', 'adm_1'],
    ]);
    for (const authorization of ['Bearer xadm_1', 'Bearer 1', 'adm_1'])
      expect((await call('getCurrentAdmin', { authorization })).given).to.deep.equal([]);
    for (const cookie of [
      '__Host-admin_session=adm_1',
      'a=b; __Host-admin_session=adm_1',
      'a=b;__Host-admin_session=adm_1;c=d',
    ])
      expect((await cookies(cookie)).given, cookie).to.deep.equal([['admins', 'adm_1']]);
    for (const cookie of [
      '',
      'x__Host-admin_session=adm_1',
      'a=b __Host-admin_session=adm_1',
      '__Host-admin_session=1',
      '__Host-admin_session=adm_',
      '__Host-admin_session=adm_1 2',
      `__Host-admin_session=adm_${'x'.repeat(129)}`,
    ])
      expect(await cookies(cookie), cookie).to.include({ code: 'V2_ADMIN_SESSION_INVALID' });
  });

  it('takes the operator’s cookie for a change only from this service’s own pages', async () => {
    const cookie = '__Host-admin_session=adm_1';
    const change = (more: IncomingHttpHeaders) => call('logOutAdmin', { cookie, ...more });

    for (const more of [
      { origin: 'https://api.example.com' },
      { origin: 'https://console.example.com', host: 'console.example.com' },
    ])
      expect(await change(more), JSON.stringify(more)).to.include({ kind: 'admin' });
    for (const more of [
      {},
      { origin: '' },
      { origin: 'null' },
      { origin: 'https://evil.example', host: 'api.example.com' },
      { origin: 'http://api.example.com', host: 'api.example.com' },
      { origin: 'https://api.example.com:8443', host: 'api.example.com' },
      { referer: 'https://api.example.com/' },
    ])
      expect(await change(more), JSON.stringify(more)).to.include({ code: 'FORBIDDEN_ORIGIN' });
    expect(await call('getCurrentAdmin', { cookie })).to.include({ kind: 'admin' });
    expect(await call('logOutAdmin', { authorization: 'Bearer adm_1' })).to.include({ kind: 'admin' });
  });

  it('takes an operator by cookie where a header would do too, with the challenge of what is wrong', async () => {
    const cookie = '__Host-admin_session=adm_1';
    const unknown = { admins: undefined };

    expect(await call('listFailedPropAccounts', { cookie })).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', { cookie }, {}, { as: 'HEAD' })).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', { cookie }, {}, { as: 'OPTIONS' })).to.include({ kind: 'admin' });
    expect(await call('getCurrentAdmin', {}, unknown)).to.include({ challenge: 'Session realm="v2 operators"' });
    expect(await call('listFailedPropAccounts', {}, unknown)).to.include({
      code: 'V2_ADMIN_SESSION_INVALID',
      challenge: 'Bearer realm="v2 operators"',
    });
  });
});
