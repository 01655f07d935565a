import { expect } from 'chai';
import { sql } from 'slonik';
import { openPool } from '../../src/db/pool.ts';
import { serializeError } from '../../src/kernel/serialize-error.ts';
import { freshDatabase } from '../support/postgres.ts';

const CANARY = 'CANARY-c9f1';

describe('serializeError of a failed query', () => {
  it('reports the failed object of the database, and no value', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    const faulty = [
      sql.unsafe`insert into apps (id, slug, name, allowed_scopes) values (${CANARY}, null, ${CANARY}, '{}')`,
      sql.unsafe`select ${CANARY}::text::integer`,
      sql.unsafe`select ${`{"${CANARY}`}::text::jsonb`,
    ];

    const errors = [];
    for (const query of faulty) errors.push(await db.query(query).catch((error) => error));
    await db.end();
    await database.drop();

    const reported = errors.map(serializeError);
    expect(errors.map((error) => JSON.stringify([error, error.message, error.cause?.message])).join()).to.include(
      CANARY,
    );
    expect(JSON.stringify(reported)).not.to.include(CANARY);
    expect(reported[0]).to.deep.include({ type: 'NotNullIntegrityConstraintViolationError', column: 'slug' });
    expect(reported[0]?.cause).to.deep.include({ code: '23502', table: 'apps' });
    expect(String(reported[0]?.stack)).to.include('    at ');
  });
});
