import { cloidOf, legCloid } from '../../src/kernel/exchange-names.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import type { TestService } from '../support/service.ts';

/** Members of what the exchange responds to reads. */
type VenueOrder = {
  oid: number;
  cloid: string | null;
  side: 'A' | 'B';
  sz: string;
  origSz: string;
  limitPx: string;
  triggerPx: string;
  isTrigger: boolean;
  isPositionTpsl: boolean;
  reduceOnly: boolean;
  orderType: string;
  tif: string | null;
  children: VenueOrder[];
};
type VenueRecord = { order: VenueOrder; status: string };
type VenueFill = {
  tid: number;
  oid: number;
  cloid?: string;
  side: 'A' | 'B';
  px: string;
  sz: string;
  startPosition: string;
  liquidation?: object;
};

/** What truly happened of an order: its newest record that was accepted, and its executions, oldest first. */
export type Truth = { record: VenueRecord | undefined; fills: VenueFill[] };
export type Leg = 'tp' | 'sl';

/** What the exchange responds to a read now. */
export async function askExchange<Shape>({ exchange }: Pick<TestService, 'exchange'>, question: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${exchange.url}/info`, { method: 'POST', headers, body: JSON.stringify(question) });
  return (await response.json()) as Shape;
}

/** The open orders of a wallet, the newest first. */
export const openAt = (service: Pick<TestService, 'exchange'>, user: string) =>
  askExchange<VenueOrder[]>(service, { type: 'frontendOpenOrders', user });

/** The signed size of a wallet's position in bitcoin. */
export async function heldAt(service: Pick<TestService, 'exchange'>, user: string): Promise<number> {
  type State = { assetPositions: { position: { coin: string; szi: string } }[] };
  const { assetPositions } = await askExchange<State>(service, { type: 'clearinghouseState', user });
  return Number(assetPositions.find(({ position }) => position.coin === 'BTC')?.position.szi ?? 0);
}

/** A number without the residue of sums. */
export const rounded = (value: number | string): number => Math.round(Number(value) * 1e6) / 1e6;

export const sizeOf = (fills: readonly { sz: string }[]): number =>
  rounded(fills.reduce((sum, { sz }) => sum + Number(sz), 0));

export const averageOf = (fills: readonly { px: string; sz: string }[]): number | null => {
  const worth = fills.reduce((sum, { px, sz }) => sum + Number(px) * Number(sz), 0);
  return fills.length === 0 ? null : rounded(worth / sizeOf(fills));
};

/** The position that an execution left. */
export const leftBy = ({ startPosition, side, sz }: VenueFill): number =>
  rounded(Number(startPosition) + (side === 'B' ? Number(sz) : -Number(sz)));

const wasAccepted = ({ status }: VenueRecord) => !status.endsWith('Rejected');

/** All that happened at the exchange to a wallet's orders, position and exits, by the documented rules of its reads. */
export async function truthOf(service: Pick<TestService, 'exchange'>, user: string) {
  const [history, newestFirst, open, held] = await Promise.all([
    askExchange<VenueRecord[]>(service, { type: 'historicalOrders', user }),
    askExchange<VenueFill[]>(service, { type: 'userFills', user }),
    openAt(service, user),
    heldAt(service, user),
  ]);
  const fills = newestFirst.toReversed();
  const named = (cloid: string): Truth => {
    const records = history.filter(({ order }) => order.cloid === cloid);
    const accepted = records.filter(wasAccepted);
    const record = (accepted.length > 0 ? accepted : records).reduce<VenueRecord | undefined>(
      (newest, one) => (newest && newest.order.oid > one.order.oid ? newest : one),
      undefined,
    );
    return { record, fills: fills.filter((fill) => fill.cloid === cloid) };
  };
  const waiting = new Set(open.flatMap(({ children }) => children.map(({ oid }) => oid)));
  const exits = open.filter(
    ({ oid, isTrigger, reduceOnly, side }) =>
      isTrigger && reduceOnly && !waiting.has(oid) && held !== 0 && (side === 'A') === held > 0,
  );
  /** Whether an exit of a leg lives: at this price, for the whole position, or together with others for all of it. */
  const isCovered = (leg: Leg, price: string | null): boolean => {
    const ofLeg = exits.filter(({ orderType }) => orderType.startsWith(leg === 'tp' ? 'Take' : 'Stop'));
    const isSame = ({ isPositionTpsl, triggerPx }: VenueOrder) => isPositionTpsl || Number(triggerPx) === Number(price);
    return price === null || ofLeg.some(isSame) || sizeOf(ofLeg) >= Math.abs(held);
  };
  return {
    ...{ history, fills, open, held, isCovered },
    ofOrder: (id: IntentId) => named(cloidOf(id)),
    ofExit: (id: IntentId, leg: Leg) => named(legCloid(id, leg)),
  };
}
