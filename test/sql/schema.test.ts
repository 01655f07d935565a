import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { CALLS_FILE, writeCalls } from '../../src/db/calls.ts';
import { findCalls } from '../../src/db/find-calls.ts';
import { dumpSchema, SCHEMA_FILE } from '../../src/db/schema.ts';
import { listTaskNames } from '../../src/intents/task.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('sql/schema.sql', () => {
  it('is the schema of a newly migrated database: run npm run schema when it is not', async () => {
    const database = await freshDatabase();

    const schema = await dumpSchema(database.url);
    await database.drop();

    expect(schema).to.equal(await readFile(SCHEMA_FILE, 'utf8'));
  });

  it('has a file of the names that the code calls in it: after a change run npm run schema', async () => {
    const database = await freshDatabase();

    const calls = writeCalls(await findCalls(database.url, listTaskNames()));
    await database.drop();

    expect(calls).to.equal(await readFile(CALLS_FILE, 'utf8'));
  });
});
