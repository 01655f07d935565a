import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { openPool } from '../../src/db/pool.ts';
import { reseal, sealedColumns } from '../../src/db/reseal.ts';
import { requireKeys, sealCheck } from '../../src/db/seal-check.ts';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';
import { freshDatabase } from '../support/postgres.ts';

const column = { table: 'apps', keys: ['id'], column: 'network_key' };
const contextOf = (row: string) => ({ table: 'apps', row, column: 'network_key' });

describe('reseal', () => {
  it('moves every value to the newest key, once, so that the older one can be removed', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 2, () => {});
    const [oldKey, newKey] = [newSealingKey(), newSealingKey()];
    const ids = Array.from({ length: 520 }, (_, n) => `app_${String(n).padStart(4, '0')}`);
    for (const id of ids) {
      const sealed = sql.binary(sealer(oldKey).seal(`key of ${id}`, contextOf(id)));
      await db.query(sql.unsafe`
        insert into apps (id, slug, name, entity_hotkey, network_key, allowed_scopes)
        values (${id}, ${id}, ${id}, ${id}, ${sealed}, '{api}')`);
    }

    const first = await reseal(db, sealer(`${newKey},${oldKey}`), column);
    const second = await reseal(db, sealer(newKey), column);
    const rows = await db.any(
      sql.type(z.object({ id: z.string(), key: z.instanceof(Buffer) }))`select id, network_key as key from apps`,
    );
    await db.end();
    await database.drop();

    expect([first, second]).to.deep.equal([520, 0]);
    for (const { id, key } of rows) expect(sealer(newKey).open(key, contextOf(id)).toString()).to.equal(`key of ${id}`);
  });

  it('that was interrupted still needs the older key, and a release without it fails with that message', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 2, () => {});
    const [oldKey, newKey] = [newSealingKey(), newSealingKey()];
    await sealCheck(db, sealer(oldKey))(null);
    const needed: boolean[] = [];

    for (const each of sealedColumns) {
      needed.push(
        await requireKeys(database.url, sealer(newKey)).then(
          () => false,
          () => true,
        ),
      );
      await reseal(db, sealer(`${newKey},${oldKey}`), each);
    }
    await requireKeys(database.url, sealer(newKey));
    await db.end();
    await database.drop();

    expect(needed).to.deep.equal(sealedColumns.map(() => true));
  });

  it('covers every column of bytes that is not a digest', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    const digests = /digest|hmac|^subject$|^address$|^scope$|hash|salt/;

    const columns = await db.any(sql.type(z.object({ table: z.string(), column: z.string() }))`
      select c.table_name as "table", c.column_name as "column"
      from information_schema.columns c
      where c.table_schema = 'public' and c.data_type = 'bytea'`);
    await db.end();
    await database.drop();

    const sealed = columns
      .filter(({ column }) => !digests.test(column))
      .map(({ table, column }) => `${table}.${column}`);
    expect(sealedColumns.map(({ table, column }) => `${table}.${column}`)).to.have.members(sealed);
  });
});
