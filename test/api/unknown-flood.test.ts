import { expect } from 'chai';
import got from 'got';
import pg from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { until } from '../support/processes.ts';

const MANY = 40; // four times the connections of a web process
const MOST = 8; // of its ten, for one tenant

describe('an app while callers without credentials are counted, all of one network', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' }, false);
    app = await service.app();
  });
  after(() => service.stop());

  const guess = () =>
    got.post(`${service.url}/v2/oauth/token`, {
      form: { grant_type: 'client_credentials', client_id: 'app_unknown', client_secret: 'csk_unknown' },
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
  const waiting = () =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count
      from pg_stat_activity a
      where a.datname = current_database() and a.wait_event_type = 'Lock'`);

  it('finds a connection, although they wait for each other', async () => {
    await guess();
    const holder = new pg.Client({ connectionString: service.settings.DATABASE_URL });
    await holder.connect();
    await holder.query(`begin; select from throttles where name = 'address' for update`);
    const flood = Array.from({ length: MANY }, guess);
    await until('they wait', async () => (await waiting()) >= MOST);

    const { status } = await app.ask('GET', '/v2/apps/me');
    await holder.end();
    await Promise.all(flood);

    expect(status).to.equal(200);
  });
});
