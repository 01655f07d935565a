import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { dumpSchema, SCHEMA_FILE } from '../../src/db/schema.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('sql/schema.sql', () => {
  it('is the schema of a newly migrated database: run npm run schema when it is not', async () => {
    const database = await freshDatabase();

    const schema = await dumpSchema(database.url);
    await database.drop();

    expect(schema).to.equal(await readFile(SCHEMA_FILE, 'utf8'));
  });
});
