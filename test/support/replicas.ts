import { expect } from 'chai';
import { exchangeOf } from './exchange.ts';
import { type Handle, jsonReply, startProxy } from './proxy.ts';
import { startService, type TestService } from './service.ts';

/** The reads of a position and of its closing. Each comes from a replica that may be behind by itself. */
type Read = 'clearinghouseState' | 'userFillsByTime' | 'orderStatus';

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
/** What an order asks for on the wire: its client order id and size. */
type SentOrder = { c: string; s: string };
type OnOrder = (order: SentOrder, forward: Parameters<Handle>[1]) => ReturnType<Handle>;

/** The service at an exchange whose replicas can be stopped, each at what it shows. */
export type AtReplicas = {
  service: TestService;
  /** Handles the next orders of the service, one each; the others are passed on. */
  onOrders: OnOrder[];
  /** From now on these reads show the present state of a wallet, whatever happens. `oid`: of the order that is asked for. */
  freeze(wallet: Wallet, reads: Read[], oid?: string): Promise<void>;
  /** All replicas have caught up. */
  thaw(): void;
  /** The signed size of the bitcoin that a wallet holds; null if it cannot be read. */
  held(wallet: Wallet): Promise<string | null>;
  /** The owner's own software trades bitcoin beside the service. */
  trades(wallet: Wallet, side: 'buy' | 'sell', size: string): Promise<void>;
  stop(): Promise<void>;
};

let nonces = Date.now() - 7_200_000;

/** Starts the service at an exchange with replicas. */
export async function startAtReplicas(settings: Record<string, string> = {}): Promise<AtReplicas> {
  const last = new Map<string, string>();
  const frozen = new Set<string>();
  const onOrders: OnOrder[] = [];
  const proxy = await startProxy(async ({ type = '', user = '', action }, forward) => {
    const [order] = (action?.type === 'order' ? action.orders : []) as SentOrder[]; // as: of our own client
    const onOrder = order && onOrders.shift();
    if (onOrder) return onOrder(order, forward);
    const old = frozen.has(type) ? last.get(`${type} ${user}`) : undefined;
    if (old !== undefined) return jsonReply(JSON.parse(old));
    const reply = await forward();
    if (reply?.status === 200) last.set(`${type} ${user}`, reply.text);
    return reply;
  });
  const service = await startService({ settings: { EXVENUE_URL: proxy.url, ...settings } });
  proxy.target = service.exchange.url;
  return {
    service,
    onOrders,
    async freeze({ wallet }, reads, oid) {
      for (const type of reads) {
        const body = JSON.stringify({ type, user: wallet, startTime: 0, ...(oid && { oid }) });
        await fetch(`${proxy.url}/info`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        frozen.add(type);
      }
    },
    thaw: () => frozen.clear(),
    async held({ wallet }) {
      const account = await exchangeOf(service).account(wallet);
      if (account.kind !== 'found') return null;
      return account.data.positions.find(({ coin }) => coin === 'BTC')?.size ?? '0';
    },
    async trades({ privateKey }, side, size) {
      const venue = exchangeOf(service);
      const price = side === 'buy' ? '110000' : '90000';
      const orders = [{ asset: 1, side, size, price, reduceOnly: false, timeInForce: 'ioc' as const }];
      const body = await venue
        .signerOf(privateKey)
        ?.sign({ kind: 'place', orders, grouping: 'none' }, { nonce: ++nonces });
      const { kind } = await venue.post(String(body), { firstSend: true });
      expect(kind).to.equal('accepted');
    },
    async stop() {
      await service.stop();
      await proxy.close();
    },
  };
}
