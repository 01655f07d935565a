import argon2 from 'argon2';
import { expect } from 'chai';
import {
  appLane,
  appsAtOnce,
  hashing,
  hashPassword,
  isGuessable,
  isOutdated,
  matchPassword,
  operatorLane,
} from '../../src/kernel/passwords.ts';
import { hashAtLowCost, hashAtRealCost } from '../support/password-cost.ts';

const EMAIL = 'someone@example.com';

describe('isGuessable', () => {
  for (const password of [
    ...['password', 'Password1', 'PASSWORD123', '12345678', '123456789', '1234567890', 'qwertyuiop', 'qwerty123'],
    ...['iloveyou', 'sunshine', 'princess', 'football', 'baseball', 'superman', 'trustno1', 'letmein1', 'changeme'],
    ...['1q2w3e4r', '1qaz2wsx', 'zaq12wsx', 'qazwsxedc', 'asdfghjkl', '11111111', '88888888', '87654321', 'abcd1234'],
    ...['passw0rd', 'p@ssw0rd', 'welcome1', 'computer', 'internet', 'whatever', 'michael1', 'jennifer', 'starwars'],
    ...['abcdefgh', '01234567', '0987654321', 'poiuytrewq', '12341234', '123123123', 'abababab', 'AdminAdmin'],
    ...['lkjhgfds', 'sdfghjkl', 'ertyuiop', 'iuytrewq', 'zyxwvuts', 'klmnopqr', '0987654321', 'abcabcabcabc'],
    ...['ｐａｓｓｗｏｒｄ'], // the same letters, full width
  ]) {
    it(`is true for ${password}, which is common`, () => {
      expect(isGuessable(password, EMAIL)).to.equal(true);
    });
  }

  it('is true for the address, its first part, and one character repeated', () => {
    const guessable = ['someone@example.com', 'Someone', 'ЖЖЖЖЖЖЖЖЖ', '!!!!!!!!!!!!!'];

    expect(guessable.map((password) => isGuessable(password, EMAIL))).to.deep.equal(guessable.map(() => true));
  });

  it('is false for uncommon passwords', () => {
    const rare = [
      'correct horse battery',
      'mVx7-qqLp-0Zt2',
      'Ein Satz mit vier Wörtern',
      'aardvark plans',
      'no more agreee',
    ];

    expect(rare.filter((password) => isGuessable(password, EMAIL))).to.deep.equal([]);
  });
});

describe('password hashes', () => {
  before(hashAtRealCost);
  after(hashAtLowCost);
  const lane = appLane('app_1');
  const PASSWORD = 'correct horse battery staple';
  const salt = Buffer.alloc(16, 5);

  it('are argon2id with 19 MiB, two passes, one lane and 32 bytes, with a random salt by default', async () => {
    const [one, other] = await Promise.all([hashPassword(PASSWORD, lane), hashPassword(PASSWORD, lane)]);
    const text = one.split('$').at(-1) ?? '';

    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$/);
    expect(Buffer.from(text, 'base64')).to.have.length(32);
    expect(other).not.to.equal(one);
    expect(await argon2.verify(one, PASSWORD)).to.equal(true);
    expect(isOutdated(one)).to.equal(false);
    expect(isOutdated(await argon2.hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 }))).to.equal(true);
  });

  it('match the same password on every keyboard, among hashes that share a salt, and no other', async () => {
    const ours = await hashPassword('ﬁne Ångström', lane, salt);
    const others = await hashPassword(PASSWORD, lane, salt);
    const apart = await hashPassword('ﬁne Ångström', lane);

    expect(await matchPassword('fine A\u030angstro\u0308m', [others, ours], lane)).to.equal(ours);
    expect(await matchPassword(PASSWORD, [others, ours], lane)).to.equal(others);
    expect(await matchPassword('another password', [others, ours], lane)).to.equal(null);
    expect(await matchPassword('ﬁne Ångström', [others, apart], lane)).to.equal(null);
    expect(await matchPassword('ﬁne Ångström', [apart, others], lane)).to.equal(apart);
    expect(await matchPassword(PASSWORD, [], lane)).to.equal(null);
  });

  it('match under the cost they were made with, and never beside another cost', async () => {
    const old = await argon2.hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 2, hashLength: 24, salt });
    const today = await hashPassword(PASSWORD, lane, salt);

    expect(await matchPassword(PASSWORD, [old], lane)).to.equal(old);
    expect(await matchPassword(PASSWORD, [today, old], lane)).to.equal(today);
    expect(await matchPassword('another password', [old, today], lane)).to.equal(null);
    const dear = await argon2.hash(PASSWORD, { memoryCost: 128, timeCost: 12, parallelism: 12, salt });
    expect(await matchPassword(PASSWORD, [dear], lane), 'costs of two digits').to.equal(dear);
  });

  it('of another kind are no hashes', async () => {
    const good = await hashPassword(PASSWORD, lane, salt);
    for (const text of [
      '',
      'plain',
      good.replace('argon2id', 'argon2i'),
      `x${good}`,
      `${good}$`,
      good.replace(',t=2', ''),
    ])
      expect(await matchPassword(PASSWORD, [text], lane).catch(({ message }) => message), text).to.equal(
        'A password hash is not one of argon2id',
      );
  });

  it('leave one core to requests, and two threads of the pool', () => {
    expect([1, 2, 3, 4, 64].map(appsAtOnce)).to.deep.equal([1, 1, 2, 2, 2]);
  });

  it('take turns by app and by the network of an unknown operator; all operators at known networks go first', async () => {
    expect(appLane('app_1')).to.deep.equal({ pool: 'apps', lane: 'app_1' });
    expect(operatorLane('192.0.2.1')).to.deep.equal({ pool: 'operators', lane: '192.0.2.1' });
    expect(operatorLane(null)).to.deep.equal({ pool: 'operators', lane: '' });
  });

  for (const [pool, most] of [
    ['apps', 500],
    ['operators', 50],
  ] as const)
    it(`of ${most} and no more wait in one lane of ${pool}`, async () => {
      const gate = Promise.withResolvers<void>();
      const other = hashing[pool].run('another', async () => 'ran');
      await other;
      const running = Array.from({ length: 20 }, (_, n) => hashing[pool].run(`blocker ${n}`, () => gate.promise));
      const waiting = Array.from({ length: most }, () => hashing[pool].run('full', async () => {}));

      const beyond = await hashing[pool].run('full', async () => {}).catch(({ code }) => code);
      gate.resolve();
      await Promise.all([...running, ...waiting]);

      expect(beyond).to.equal('SERVICE_UNAVAILABLE');
    });
});
