import { expect } from 'chai';
import { sql } from 'slonik';
import { effectsOn } from '../../support/exchange.ts';
import { type OnCall, openOnCall } from '../../support/on-call.ts';
import { until } from '../../support/processes.ts';
import { jsonReply, NOTHING_DONE, startProxy, type VenueProxy } from '../../support/proxy.ts';
import { firing, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };
const LISTED = `select intent_id from ops.intents_in_doubt where because = 'absent, and the nonce is used'`;
const DISMISS = `select ops.dismiss($1, 'ada', 'nothing of it at the exchange') as verdict`;

describe('the operator on call, of an order in doubt whose nonce was used', function () {
  this.timeout(60_000);
  const exchange = { isBlind: false };
  let proxy: VenueProxy;
  let service: TestService;
  let onCall: OnCall;
  before(async function () {
    if (!promtool) this.skip();
    proxy = await startProxy(async ({ type = '', action }, forward) => {
      if (exchange.isBlind && type in NOTHING_DONE) return jsonReply(NOTHING_DONE[type]);
      if (exchange.isBlind && action?.type === 'noop')
        return jsonReply({ status: 'err', response: 'Invalid nonce: duplicate nonce 1' });
      return forward();
    });
    service = await startService({
      settings: {
        EXVENUE_URL: proxy.url,
        EXVENUE_EXPIRES_MS: '1000',
        EXVENUE_CLOCK_MARGIN_MS: '100',
        EXVENUE_READ_LAG_MS: '60000',
      },
    });
    proxy.target = service.exchange.url;
    onCall = await openOnCall(service);
  });
  after(async () => {
    await onCall?.stop();
    await service?.stop();
    await proxy?.close();
  });
  const verdictOf = async (id: string) => (await onCall.psql<{ verdict: string }>(DISMISS, [id]))[0]?.verdict;
  const because = (id: string) =>
    service.db.maybeOneFirst(sql.unsafe`select unknown_because from intents where id = ${id} and state = 'in_doubt'`);

  it('looks at the exchange and ends it; nobody could, so that it paged for ever and its owner never had an end', async () => {
    const trader = await service.wallet();
    const quiet = await onCall.scrape();
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });
    exchange.isBlind = true; // other software with the same key has used the nonce
    const reply = await trader.post(ORDERS, LIMIT, { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    await until('the used nonce', async () => /nonce is used; reads/.test(String(await because(id))) || null, 20_000);
    const early = await verdictOf(id);
    await service.db.query(sql.unsafe`
      update intents set sending_at = sending_at - interval '1 hour', reconcile_attempts = 13 where id = ${id}`);
    await service.runTask('exchange/place', { intent_id: id });
    const troubled = await onCall.scrape();

    const listed = await onCall.psql<{ intent_id: string }>(LISTED);
    const verdict = await verdictOf(id);
    const again = await verdictOf(id);
    const calm = await onCall.scrape();
    exchange.isBlind = false;
    const ended = (await trader.get(`/v1/intents/${id}`)).body;
    const next = await trader.post(ORDERS, LIMIT);

    expect([early, verdict, again]).to.deep.equal(['not_open', 'done', 'not_open']);
    expect(listed).to.deep.equal([{ intent_id: id }]);
    expect(ended).to.include({ state: 'failed', effect: 'unknown' });
    expect(ended.problem).to.deep.include({ code: 'V1_ORDER_IN_DOUBT', retryable: false });
    expect(next.body, JSON.stringify(next.body)).to.include({ status: 'open' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
    expect(await firing('IntentsInDoubt', { quiet, troubled, calm })).to.deep.equal({
      inTrouble: true,
      afterwards: false,
    });
    expect(await firing('IntentsUndecided', { quiet, troubled, calm })).to.include({ afterwards: false });
  });
});
