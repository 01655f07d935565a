import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { intentAt } from '../support/operator.ts';

const BY = `'ada', 'they hang'`;

describe('the kit at a word that an operator has misspelt', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  after(() => intentDb.close());

  for (const [filter, says] of [
    [`null, null, 'doubt'`, 'no state doubt: name queued, running or in_doubt, or null for any'],
    [`null, 'ptn_one', null`, 'no owner ptn_one: name a partner or app by its id, or null for any'],
    [`'network/plaec', null, null`, /^no verb network\/plaec: name accounts\/provision, .*network\/place, .*, or null/],
  ] as const)
    for (const call of [`ops.assess_reruns(${filter})`, `ops.rerun_all(${filter}, ${BY})`])
      it(`says what there is: ${call}`, async () => {
        const thrown = await intentDb.query(`select * from ${call}`).catch((error: Error) => error);

        expect(thrown).to.be.an('error');
        expect((thrown as Error).message).to.match(new RegExp(says)); // as: it is one
      });

  it('does not call an upstream that is misspelt one that is not paused', async () => {
    const verdict = async (call: string) => (await intentDb.query<{ v: string }>(`select ops.${call} as v`))[0]?.v;
    await verdict(`pause('netvenue', ${BY})`);

    expect(await verdict(`pause('netvenu', ${BY})`)).to.equal('unknown');
    expect(await verdict(`end_pause('netvenu', ${BY})`)).to.equal('unknown');
    expect(await verdict(`end_pause('exvenue', ${BY})`)).to.equal('not paused');
    expect(await verdict(`end_pause('netvenue', ${BY})`)).to.equal('0 go on');
  });

  it('takes an open intent of a verb that no release here knows', async () => {
    const id = await intentAt(intentDb, 'queued', { kind: 'former/verb' });

    expect(await intentDb.query(`select example from ops.assess_reruns('former/verb')`)).to.deep.equal([
      { example: id },
    ]);
  });

  it('spends no recovery of an endpoint on what was missed since null', async () => {
    const [endpoint] = await intentDb.query<{ id: string }>('select id from webhook_endpoints where active');
    const call = (since: string) => `select verdict from ops.retry_deliveries_of('${endpoint?.id}', ${BY}, ${since})`;

    const thrown = await intentDb.query(call('null')).catch((error: Error) => error);

    expect(thrown).to.be.an('error').with.property('message', 'say since when: null fits nothing');
    expect(await intentDb.query(call(`now() - interval '1 hour'`))).to.deep.equal([{ verdict: 'queued' }]);
  });
});
