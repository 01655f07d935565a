import { expect } from 'chai';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { freshDatabase } from '../support/postgres.ts';

/** As DATABASE_URL names it where the address of another application was attached or pasted. */
describe('a release on the database of another application', () => {
  it('changes nothing and says so, also without a conflict of names; tables of extensions do not count', async () => {
    const server = await freshDatabase();
    const maker = new Client({ connectionString: server.url });
    await maker.connect();
    const name = `another_${process.pid}`;
    await maker.query(`create database ${name}`);
    const url = server.url.replace(/[^/]+$/, name);
    const client = new Client({ connectionString: url });
    client.on('error', () => {}); // its database is dropped under it
    await client.connect();
    const schemas = async () =>
      (await client.query(`select nspname from pg_namespace where nspname !~ '^(pg_|information)' order by 1`)).rows;
    await client.query('create table shop_orders (id integer primary key)');
    const before = await schemas();

    const error = await migrate(url).catch((thrown) => thrown);
    const after = await schemas();
    await client.query(`alter extension plpgsql add table shop_orders`);
    const own = await migrate(url).catch((thrown) => thrown);
    await client.end();
    await maker.query(`drop database ${name} with (force)`);
    await maker.end();
    await server.drop();

    expect(String(error)).to.match(
      /has tables of another application \(shop_orders\) and was left as it is: set DATABASE_URL/,
    );
    expect(after).to.deep.equal(before);
    expect(own).to.equal(undefined);
  }).timeout(30_000);

  for (const encoding of ['SQL_ASCII', 'LATIN1'])
    it(`changes nothing and says so where that stores texts as ${encoding}, as a server without a locale makes it`, async () => {
      const server = await freshDatabase();
      const maker = new Client({ connectionString: server.url });
      await maker.connect();
      const name = `another_${process.pid}`;
      await maker.query(
        `create database ${name} encoding '${encoding}' locale_provider libc locale 'C' template template0`,
      );
      const url = server.url.replace(/[^/]+$/, name);

      const error = await migrate(url).catch((thrown) => thrown);
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(
        `select nspname from pg_namespace where nspname !~ '^(pg_|information|public)'`,
      );
      await client.end();
      await maker.query(`drop database ${name} with (force)`);
      await maker.end();
      await server.drop();

      expect(String(error)).to.match(new RegExp(`stores texts as ${encoding} and was left as it is`));
      expect(rows).to.deep.equal([]);
    }).timeout(60_000);
});
