import { expect } from 'chai';
import { sql } from 'slonik';
import { type FilledDatabase, openFilled } from '../support/filled.ts';

const MAILS = 300;

/** Mails whose jobs have used up their attempts, as while the key that opens them is missing. */
const DEAD = `
  select post_mail(gen_random_uuid(), 'none', 'a@example.com', '{}', null, 604800) from generate_series(1, ${MAILS}) n;
  update queue_jobs set attempts = max_attempts;
  vacuum analyze`;

describe('the sweep of dead jobs of mails', () => {
  let filled: FilledDatabase;
  before(async () => {
    filled = await openFilled(DEAD);
  });
  after(() => filled.close());

  it('looks each mail up by its id, and does not read all of them for each job', async () => {
    const before = await filled.rowsRead();

    await filled.db.query(sql.unsafe`select drop_finished_jobs()`);

    const read = (await filled.rowsRead()) - before;
    expect(read).to.be.within(MAILS, 10 * MAILS);
  });
});
