import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sql } from 'slonik';
import { createPartner, mintKey, revokeKey } from '../../src/capabilities/partners/commands.ts';
import { errors } from '../../src/kernel/error-codes.ts';
import { laws } from '../../src/kernel/error-laws.ts';
import { caller } from '../support/caller.ts';
import { AREAS } from '../support/law/areas.ts';
import { type Area, codesOf } from '../support/law/suite.ts';
import { expectProblem } from '../support/problem.ts';
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

  it('denies no earlier attempt in the error of a repeat that nobody looked for: it has no intent, and the guide says what that means', async () => {
    const made = await createPartner(service.db, 'Repeating partner');
    const later = await mintKey(service.db, made.partner_id, null);
    const [before_, after_] = [caller(service.url, made.key), caller(service.url, later.key)];
    const endpoint = { url: 'https://example.com/hooks', events: ['*'] };
    const { body } = await before_.post('/v1/webhook-endpoints', endpoint);
    const remove = (by: typeof before_) => by.delete(`/v1/webhook-endpoints/${body.id}`, { key: 'once' });
    const first = await remove(before_);
    await revokeKey(service.db, made.key_id);

    const repeat = await remove(before_);
    const known = await remove(after_);

    expect(first.status).to.equal(200);
    expectProblem(repeat, 'V1_KEY_INVALID', { effect: 'none' });
    expect(repeat.body.error).not.to.have.property('intent_id');
    expect([known.status, known.headers['idempotent-replayed']]).to.deep.equal([200, 'true']);
    const guide = readFileSync(new URL('../../src/docs/writes.md', import.meta.url), 'utf8');
    expect(guide).to.match(
      /^\* `effect: none`: this request did nothing\.[^*]* A repeat that fails without an `intent_id`, for example with 401/m,
    );
  });
});
