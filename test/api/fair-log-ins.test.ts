import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { sql } from 'slonik';
import { appsAtOnce, hashing } from '../../src/kernel/passwords.ts';
import { budgetOf } from '../../src/kernel/throttles.ts';
import { type Ask, fresh, type Identity, PASSWORD, startIdentity, type TestApp } from '../support/identity.ts';
import { until } from '../support/processes.ts';

/** `npm run bench -- --only FLOOD` measures how long log-ins take meanwhile. */
describe('a flood of log-ins at one app', () => {
  let service: Identity;
  let flooded: TestApp;
  let other: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' }, false);
    flooded = await service.app();
    other = await service.app();
  });
  after(() => service.stop());

  const logIn = (ask: Ask, path = '/v2/auth/login', email = `${fresh('someone')}@example.com`, from = '192.0.2.1') =>
    ask('POST', path, { json: { email, password: PASSWORD }, headers: { 'X-End-User-Address': from } });

  it('takes no more than its turns, and none of the operators', async () => {
    const admin = await service.admin();
    const gates = Array.from({ length: appsAtOnce(availableParallelism()) }, () => Promise.withResolvers<void>());
    const before: boolean[] = []; // of each piece of the flood, whether the other app was still waiting
    const note = async () => void before.push(hashing.apps.waiting(other.appId) > 0);
    const flood = [
      ...gates.map((gate) => hashing.apps.run(flooded.appId, () => gate.promise)),
      ...Array.from({ length: 300 }, () => hashing.apps.run(flooded.appId, note)),
    ];

    const operators = await logIn(service.ask, '/v2/admin/login', admin.email);
    const others = logIn(other.ask);
    await until('the log-in of the other app to wait', () => hashing.apps.waiting(other.appId) === 1);
    gates[0]?.resolve();
    const othersReply = await others;
    gates[1]?.resolve();
    await Promise.all(flood);

    expect(operators.body.totp_required).to.equal(true);
    expect(othersReply.status).to.equal(401);
    expect(before.filter(Boolean)).to.have.length.of.at.most(1);
    expect(before).to.have.length(300);
  });

  it('draws on the budget of the app that names the addresses, and of no other', async () => {
    const first = await logIn(flooded.ask, undefined, undefined, '192.0.2.2');
    const { subject } = budgetOf('server', 'logInUser', flooded.appId);
    const { rowCount } = await service.db.query(
      sql.unsafe`update throttles set spent = budget where name = 'server' and subject = ${sql.binary(subject)}`,
    );

    const next = await logIn(flooded.ask, undefined, undefined, '192.0.2.3');

    expect([first.status, rowCount, next.status]).to.deep.equal([401, 1, 429]);
    expect(next.headers.get('ratelimit')).to.match(/"address";r=300;t=60, "server";r=0/);
    expect((await logIn(other.ask, undefined, undefined, '192.0.2.3')).status).to.equal(401);
  });
});
