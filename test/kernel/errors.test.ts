import { expect } from 'chai';
import { sql } from 'slonik';
import { openPool } from '../../src/db/pool.ts';
import { tellable, toldError } from '../../src/kernel/errors.ts';
import { freshDatabase } from '../support/postgres.ts';

const CANARY = 'CANARY-c9f1';

describe('toldError', () => {
  it('tells what broke in the database, and no value', async () => {
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

    const told = errors.map(toldError);
    expect(errors.map((error) => JSON.stringify([error, error.message, error.cause?.message])).join()).to.include(
      CANARY,
    );
    expect(JSON.stringify(told)).not.to.include(CANARY);
    expect(told[0]).to.deep.include({ type: 'NotNullIntegrityConstraintViolationError', column: 'slug' });
    expect(told[0]?.cause).to.deep.include({ code: '23502', table: 'apps' });
    expect(String(told[0]?.stack)).to.include('    at ');
  });

  it('keeps the text of every other error', () => {
    const error = new Error('It broke', { cause: Object.assign(new Error('inside'), { code: 'ECONNREFUSED' }) });

    expect(toldError(error)).to.deep.include({ type: 'Error', message: 'It broke' });
    expect(toldError(error).cause).to.deep.include({ code: 'ECONNREFUSED', message: 'inside' });
    expect(toldError('text')).to.deep.equal({ type: 'string' });
  });
});

describe('tellable', () => {
  it('is an error without what the database told of values, in text and stack, and with the names of what broke', () => {
    const members = {
      code: '23505',
      severity: 'ERROR',
      constraint: 'apps_slug_taken',
      detail: `Key (slug)=(${CANARY})`,
    };
    const error = new Error('It broke', { cause: Object.assign(new Error(`It is ${CANARY}`), members) });
    const raw = Object.assign(new Error(`It is ${CANARY}`), members);

    for (const { message, stack } of [tellable(error), tellable(raw)]) {
      expect(`${message} ${stack}`).not.to.include(CANARY);
      expect(message).to.include('23505');
      expect(stack).to.include('    at ');
    }
    expect(tellable(raw).message).to.include('apps_slug_taken');
  });

  it('keeps the text of every other error, and is one for what is none', () => {
    expect(tellable(new TypeError('It broke')).message)
      .to.include('It broke')
      .and.to.include('TypeError');
    expect(tellable('text')).to.be.an('error');
  });
});
