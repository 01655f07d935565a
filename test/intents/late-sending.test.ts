import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { effectsUnder, limit, market, SUBMIT } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const STALL_S = 2.5;
const SEND_WITHIN_MS = 2_000;

describe('a slow commit before the send', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('is followed by no bytes: they are sent after a later commit, close to the start of the in-flight bound', async () => {
    const trader = await service.trader();
    await service.db.query(sql.unsafe`
      create function stall_first_try() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(${sql.literalValue(String(STALL_S))}::double precision);
        return new;
      end $$`);
    await service.db.query(sql.unsafe`
      create trigger stalls before update on intents for each row
      when (old.sending_at is null and new.sending_at is not null and new.kind = 'network/place' and new.attempts = 1)
      execute function stall_first_try()`);

    const { status, body } = await trader.post('/v1/orders/netvenue', market());

    const { attempts, sent_ms } = await service.db.one(sql.type(
      z.object({ attempts: z.number(), sent_ms: z.number() }),
    )`
      select attempts, extract(epoch from sending_at)::double precision * 1000 sent_ms
      from intents
      where id = ${body.order_uuid}`);
    const [effect, ...more] = effectsUnder(service, body.order_uuid);
    expect(status).to.equal(200);
    expect(attempts).to.be.at.least(2);
    expect(more).to.be.empty;
    expect((effect?.at ?? 0) - sent_ms).to.be.within(0, SEND_WITHIN_MS);
  });
});

describe('a response that was delayed on its way', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const [what, order] of [
    ['an acceptance', limit()],
    ['a rejection', market({ leverage: 0.0404 })], // for lack of a live price
  ] as const)
    it(`counts from the time at which the miner was done, by ${what}: its thread has been free since`, async () => {
      const trader = await service.trader();
      service.miner.faults.add({ kind: 'late', delayMs: 1_500, times: 1, route: SUBMIT });

      const { headers } = await trader.post('/v1/orders/netvenue', order);

      const { after_s } = await service.db.one(sql.type(z.object({ after_s: z.number() }))`
        select extract(epoch from responded_at - sending_at)::double precision after_s
        from intents
        where id = ${String(headers['intent-id'])}`);
      expect(after_s).to.be.below(1);
    });
});
