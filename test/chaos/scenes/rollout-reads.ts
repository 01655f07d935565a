import { type Ask, asking } from '../../support/identity.ts';
import { until } from '../../support/processes.ts';
import { type Crowd, first } from './rollout-load.ts';
import type { Version, Web } from './rollout-stage.ts';

/** A read at both versions. `offence`: that one of them has a fault or responds with another status; null for none. */
export type Reading = { address: string; offence: string | null };

type Parameter = { name: string; in: string; required?: boolean; example?: unknown };
type Operation = { operationId: string; security?: object[]; parameters?: (Parameter | { $ref: string })[] };
type Contract = { paths: Record<string, { get?: Operation }>; components: { parameters: Record<string, Parameter> } };
type Ids = Record<string, string | undefined>;
/** Someone with credentials of these schemes, who knows the ids of some rows. */
type Reader = { schemes: RegExp; ask: Ask; ids: Ids };

/** Every read of the contract of the version before, of rows that either version has written, at a web of each, which checks its own response. */
export async function readAtBoth(crowd: Crowd, webs: Record<Version, Web>): Promise<Reading[]> {
  const contract = (await (await fetch(`${webs.previous.url}/openapi.json`)).json()) as Contract; // as: it is its own
  const readers = await readersOf(crowd);
  const reads = Object.entries(contract.paths).flatMap(([path, { get }]) =>
    get && !/^stream/.test(get.operationId)
      ? readers.flatMap(({ schemes, ask, ids }) => {
          const address = schemes.test(JSON.stringify(get.security ?? [])) && addressOf(path, get, contract, ids);
          return address ? [{ ask, address }] : [];
        })
      : [],
  );
  const statuses: Record<Version, number[]> = { previous: [], this: [] };
  for (const version of ['previous', 'this'] as const) {
    crowd.rollout.lead({ [version]: webs[version] });
    for (const { ask, address } of reads) statuses[version].push(await statusOf(ask, address));
  }
  return reads.map(({ address }, n) => {
    const [before, after] = [Number(statuses.previous[n]), Number(statuses.this[n])];
    return { address, offence: before === after && before < 500 ? null : `${address}: ${before} and ${after}` };
  });
}

/** Repeats a read while the database is too busy for it. */
async function statusOf(ask: Ask, address: string): Promise<number> {
  const read = async () => (await ask('GET', address)).status;
  return until(`a read of ${address}`, async () => [await read()].find((status) => status !== 503)).catch(read);
}

/** The path with the reader's ids and the required parameters; null if the reader has no such id. */
function addressOf(path: string, { parameters = [] }: Operation, contract: Contract, ids: Ids): string | null {
  const all = parameters.map((parameter) =>
    '$ref' in parameter ? contract.components.parameters[parameter.$ref.split('/').pop() ?? ''] : parameter,
  );
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '{}');
  const query = all.flatMap((parameter): [string, string][] =>
    parameter?.in === 'query' && parameter.required
      ? [[parameter.name, String(ids[parameter.name] ?? parameter.example)]]
      : [],
  );
  return filled.includes('{}') ? null : `${filled}?${new URLSearchParams(query)}`;
}

async function readersOf({
  rollout: { stage },
  watched,
  wallet,
  buyers,
  operator,
  registering,
}: Crowd): Promise<Reader[]> {
  const [trader, buyer] = [first(watched), first(buyers)];
  const idOf = async (text: string, value: unknown) => (await stage.rows<{ id: string }>(text, [value]))[0]?.id;
  const ofOwner = async (owner: string | undefined) => ({
    endpoint_id: await idOf('select id from webhook_endpoints where owner = $1', owner),
    delivery_id: await idOf('select id from webhook_deliveries where owner = $1', owner),
  });
  const partner = await idOf(
    'select owner as id from subaccounts where subaccount_id = $1',
    trader.headers['Trader-ID'],
  );
  const order = await idOf('select id from orders where owner = $1', partner);
  const payment = await idOf('select id from payments where user_id = $1', buyer.userId);
  const bearer = { Authorization: `Bearer ${trader.key}` };
  return [
    {
      schemes: /partnerKey/,
      ask: asking(stage.web.url, { ...bearer, ...trader.headers }),
      ids: { ...(await ofOwner(partner)), order_uuid: order, intent_id: order, ex_address: first(registering).wallet },
    },
    {
      schemes: /partnerKey/,
      ask: asking(stage.web.url, { Authorization: `Bearer ${wallet.key}`, ...wallet.headers }),
      ids: { ex_wallet: wallet.wallet, order_id: await idOf('select id from orders where trader = $1', wallet.wallet) },
    },
    {
      schemes: /appToken/,
      ask: buyer.ask,
      ids: {
        ...(await ofOwner(buyer.appId)),
        payment_id: payment,
        id: await idOf('select id from prop_accounts where user_id = $1', buyer.userId),
        intent_id: await idOf('select intent_id as id from payments where id = $1', payment),
      },
    },
    { schemes: /adminBearer/, ask: operator, ids: { partner_id: partner, user_id: buyer.userId, intent_id: order } },
    { schemes: /^\[\]$/, ask: asking(stage.web.url), ids: {} },
  ];
}
