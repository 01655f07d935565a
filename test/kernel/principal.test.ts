import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import {
  adminOf,
  appOf,
  callerId,
  credentialId,
  operatorName,
  type Principal,
  partnerOf,
  provenUserOf,
  userOf,
} from '../../src/kernel/principal.ts';

const app = {
  kind: 'app',
  owner: 'app_1',
  slug: 'one',
  entityHotkey: null,
  scopes: [],
  secretId: 'sec_1',
  tokenDigest: null,
  expiresAt: null,
  perMinute: 1,
} as const satisfies object;
const callers: Record<string, Principal> = {
  nobody: { kind: 'nobody', owner: '' },
  partner: { kind: 'partner', owner: 'ptn_1', keyId: 'pky_1', perMinute: 1 },
  app: { ...app, scopes: [] },
  user: {
    kind: 'user',
    owner: 'app_1',
    app: { ...app, scopes: [] },
    userId: 'usr_1',
    sessionId: 'uss_1',
    email: 'a@example.com',
    lacksProof: false,
  },
  trader: {
    kind: 'trader',
    owner: 'app_1',
    userId: 'usr_1',
    propAccountId: 'prop_1',
    keyId: 'key_1',
    perMinute: 1,
    origins: [],
  },
  ticket: { kind: 'ticket', owner: 'ptn_1', caller: 'ptn_1 by ticket', propAccountId: null } as Principal, // as: its stream needs more
  admin: {
    kind: 'admin',
    owner: '',
    adminId: 'adm_1',
    sessionId: 'ads_1',
    email: 'o@example.com',
    role: 'viewer',
    isEnrolled: true,
  },
};
const who = (name: string) => callers[name] as Principal;

describe('principals', () => {
  for (const [what, read, admitted] of [
    ['operation of apps', appOf, ['app', 'user']],
    ['operation of partners', partnerOf, ['partner']],
    ['operation of users', userOf, ['user']],
    ['operation of users', provenUserOf, ['user']],
    ['operation of operators', adminOf, ['admin']],
    ['operation of operators', operatorName, ['admin']],
  ] as const)
    it(`${read.name} admits ${admitted.join(' and ')} only`, () => {
      for (const [name, principal] of Object.entries(callers))
        if ((admitted as readonly string[]).includes(name)) expect(() => read(principal)).not.to.throw();
        else expect(() => read(principal)).to.throw(`The contract lets ${name} call an ${what}`);
    });

  it('a user acts for its app, and needs the recent proof where the app asks for it', () => {
    expect(appOf(who('user'))).to.include({ kind: 'app', owner: 'app_1' });
    expect(provenUserOf(who('user'))).to.include({ userId: 'usr_1' });
    const unproven = { ...userOf(who('user')), lacksProof: true };
    expect(() => provenUserOf(unproven))
      .to.throw(ApiError)
      .with.property('code', 'V2_REAUTHENTICATION_REQUIRED');
  });

  it('have an id within their tenant', () => {
    const ids = Object.fromEntries(Object.entries(callers).map(([name, principal]) => [name, callerId(principal)]));

    expect(ids).to.deep.equal({
      nobody: '',
      partner: 'ptn_1',
      app: 'app_1',
      user: 'usr_1',
      trader: 'prop_1',
      ticket: 'ptn_1 by ticket',
      admin: 'adm_1',
    });
    expect(operatorName(who('admin'))).to.equal('admin:adm_1');
  });

  it('have the credential by which what they do is found when it was stolen: a key, or the secret behind a token', () => {
    const ids = Object.entries(callers).map(([name, principal]) => [name, credentialId(principal)]);

    expect(ids.filter(([, id]) => id !== null)).to.deep.equal([
      ['partner', 'pky_1'],
      ['app', 'sec_1'],
      ['user', 'sec_1'],
    ]);
  });
});
