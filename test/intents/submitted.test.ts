import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Accepted } from '../../src/intents/accept.ts';
import { submitted } from '../../src/intents/submitted.ts';
import { openRows, type Rows } from '../support/rows.ts';

const count = z.object({ n: z.number() });

describe('an intent whose acceptance is part of a commit', () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows.close());

  it('is the one that was committed, if PostgreSQL undid the first commit because of others', async () => {
    await rows.run('create sequence commits');
    await rows.run('create table made (n bigint)');
    await rows.run(`
      create function undo_first() returns trigger language plpgsql as $$
        begin
          if nextval('commits') = 1 then raise exception 'undone' using errcode = '40P01'; end if;
          return null;
        end $$`);
    await rows.run(`
      create constraint trigger undo_first after insert on made deferrable initially deferred
      for each row execute function undo_first()`);
    let n = 0;

    const { accepted } = await submitted(
      { commit: (write) => rows.db.transaction(write), waitMs: () => 0 },
      async (tx) => {
        n += 1;
        await tx.query(sql.unsafe`insert into made values (${n})`);
        return { accepted: { id: `intent ${n}` } as unknown as Accepted, pending: { status: 202, body: {} } }; // as: no more is used
      },
    );

    const [made] = await rows.db.anyFirst(sql.type(count)`select m.n from made m`);
    expect(accepted.id).to.equal(`intent ${made}`);
  });
});
