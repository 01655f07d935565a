import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { sql } from 'slonik';
import { errors } from '../../src/kernel/error-codes.ts';
import { laws } from '../../src/kernel/error-laws.ts';
import { AREAS } from '../support/law/areas.ts';
import { type Area, codesOf } from '../support/law/suite.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the law of repeating', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
  });
  after(() => service.stop());

  it('is obeyed, code by code, in a service of that state', () => {
    const obeyed = Object.values<Area>(AREAS).flatMap(codesOf);
    const played = readdirSync(new URL('law', import.meta.url)).map((name) => name.replace('.test.ts', ''));

    expect(new Set(obeyed).size).to.equal(obeyed.length);
    expect(played.sort()).to.deep.equal(Object.keys(AREAS).sort());
    expect(obeyed.sort()).to.deep.equal(Object.keys(errors).sort());
  });

  it('is the same in the database, which decides whether a key is spent', async () => {
    for (const [code, { spends }] of Object.entries(laws)) {
      const outcome = JSON.stringify({ problem: { code } });
      const spent = await service.db.oneFirst(sql.unsafe`
        select spends_key(jsonb_populate_record(null::intents, jsonb_build_object(
          'state', 'failed', 'settled_at', now(), 'outcome', ${outcome}::jsonb)))`);
      expect(spent, code).to.equal(spends);
    }
  });
});
