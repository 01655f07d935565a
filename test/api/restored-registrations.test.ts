import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { REGISTER, type RegistrationService, startRegistrationService } from '../support/registration.ts';
import { backUp, recover } from '../support/restored.ts';

const TABLES = ['intents', 'registrations', 'registration_keys', 'lanes', 'idempotency_keys'];

describe('registrations that were paid after the backup of a restored database', function () {
  this.timeout(60_000);
  let service: RegistrationService;
  before(async () => {
    // the deadline of what is queued does not pass while a worker starts
    service = await startRegistrationService({}, { worker: false, settings: { REGISTRATION_DEADLINE_MS: '30000' } });
  });
  after(() => service.stop());

  const states = () =>
    service.db.any(sql.type(z.object({ state: z.string(), effect: z.string() }))`
      select i.state, i.effect from ops.intents i where i.kind = 'registration/purchase' order by i.created_at`);
  const allSettled = async () => (await states()).every(({ state }) => state === 'succeeded' || state === 'failed');

  it('are found on the chain, and none is paid again', async () => {
    const [partner, known, lost] = [await service.partner(), await service.buyer(), await service.buyer()];
    const unpaid = await service.buyer();
    await service.startWorker();
    await service.buy(partner, await service.buyer());
    await partner.post('/v1/sessions', { ex_wallet: lost.wallet, private_key: lost.privateKey });
    await service.stopWorkers();
    const queued = await service.buy(partner, known, {}, { prefer: 'respond-async' });
    await service.buy(partner, unpaid, {}, { prefer: 'respond-async' });
    const { since, restore } = await backUp(service, TABLES);
    await service.db.query(
      sql.unsafe`delete from queue_jobs where payload ->> 'intent_id' <> ${queued.body.registration_id}`,
    );
    await service.startWorker();
    await until('the lost time to pass', async () => (await service.status(partner, known.wallet)).is_success);
    service.registrar.faults.add({ kind: 'status_500', route: 'register/record', times: 1 });
    const gone = await service.buy(partner, lost);
    await service.stopWorkers();
    await restore();

    const [stdout, again] = [await recover(service, since), await recover(service, since)];
    await service.startWorker();
    await until('every purchase to end', allSettled);

    const [paid] = await service.paidBy(known);
    expect(stdout).to.contain(`registration  ${queued.body.registration_id}  paid by ${paid?.txHash}`);
    expect(stdout).to.contain(`registration payment  ${gone.body.tx_hash}  119000000 units of ${lost.payer}`);
    expect(again).to.contain(String(gone.body.tx_hash));
    const shown = await service.status(partner, known.wallet);
    expect(shown).to.include({ is_success: true, tx_hash: paid?.txHash });
    const retried = await service.buy(partner, lost);
    expectProblem(retried, 'V1_REGISTRATION_UNRECORDED');
    for (const [buyer, times] of [
      [known, 1],
      [lost, 1],
      [unpaid, 0],
    ] as const)
      expect(await service.paidBy(buyer), 'payments on chain').to.have.length(times);
    const never = await partner.get(`${REGISTER}/status/${unpaid.wallet}`);
    expect(never.body).to.include({ status: 'failed', tx_hash: null });

    await service.db.query(
      sql.unsafe`select ops.release_registration(${gone.body.tx_hash}, 'ada', 'the registrar has it')`,
    );
    const bought = await service.buy(partner, lost);
    expect(bought.body).to.include({ status: 'registered' });
  });
});
