import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { findPropAccount } from '../../src/capabilities/accounts/prop/queries.ts';
import type { isUserOf } from '../../src/capabilities/notifications/queries.ts';
import type { findPayment } from '../../src/capabilities/payments/queries.ts';
import type { findUserPayout } from '../../src/capabilities/payouts/queries.ts';
import type { isOtherPaying } from '../../src/capabilities/registration/queries.ts';
import type { Call } from '../../src/contract/handler.ts';
import type { Accepted } from '../../src/intents/accept.ts';
import type { findIntent } from '../../src/intents/follow.ts';
import type { Intent } from '../../src/intents/intent.ts';
import {
  type AppId,
  type Hotkey,
  type IntentId,
  intentIdTimeMs,
  isUuid,
  newId,
  newIntentId,
  type OrderUuid,
  type OwnerId,
  type UserId,
  type WalletAddress,
} from '../../src/kernel/ids.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import type { findOrderPair } from '../../src/venues/network/orders/queries.ts';
import type { VenueReads } from '../../src/venues/reads.ts';

describe('newIntentId', () => {
  it('is a UUID of version 7: its first 48 bits are the time, its variant is that of RFC 9562', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

    const id = newIntentId(at);

    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(id)).to.equal(true);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(at);
  });

  it('contains a mark, by which its time is read; other ids do not', () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const id = newIntentId(at);
    const later = `1${id.slice(1)}`; // the mark is of the whole id
    const others = [`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`, later, randomUUID(), 'no id'];

    expect(intentIdTimeMs(id)).to.equal(at);
    expect(others.map(intentIdTimeMs)).to.deep.equal([null, null, null, null]);
  });

  it('is always different', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newIntentId(0)));

    expect(ids.size).to.equal(10_000);
  });
});

type Rest<F> = F extends (first: never, ...rest: infer Others) => unknown ? Others : never;

describe('ids of different kinds', () => {
  const findAccount = (owner: AppId, user: UserId): [AppId, UserId] => [owner, user];

  it('are not assignable to one another', () => {
    const [app, user]: [AppId, UserId] = ['app_1', 'usr_1'];

    // @ts-expect-error: the arguments are swapped
    const swapped = findAccount(user, app);

    expect(swapped).to.deep.equal([user, app]);
  });

  it('let an intent’s id name the order it placed, and no other way round', () => {
    const intent: IntentId = 'a';
    const order: OrderUuid = intent;
    // @ts-expect-error: the network has orders of its own
    const back: IntentId = order as OrderUuid;

    expect(back).to.equal(intent);
  });

  it('cannot be swapped when they come from a row', () => {
    const intent: Pick<Intent, 'id' | 'owner'> = { id: newIntentId(), owner: 'app_1' };
    const right: Rest<typeof findIntent> = [intent.owner, intent.id];
    // @ts-expect-error: the arguments are swapped
    const swapped: Rest<typeof findIntent> = [intent.id, intent.owner];
    // @ts-expect-error: an intent is no owner, and an owner no user
    const foreign: Parameters<(owner: OwnerId, user: UserId) => void> = [intent.id, intent.owner];
    // @ts-expect-error: the owner of an intent is not an intent
    const accepted: Accepted = { id: intent.owner, replayed: false };

    expect([swapped, foreign, [accepted.id]].flat()).to.include.members(right);
  });

  it('cannot be swapped when they come from a request', () => {
    const path: Pick<Call<'getUserRecord'>['path'], 'user_id'> = { user_id: 'usr_1' };
    const { order_uuid }: Call<'cancelNetvenueOrder'>['path'] = { order_uuid: newIntentId() };
    // @ts-expect-error: a user is not an app
    const app: AppId = path.user_id;
    // @ts-expect-error: an order of the network is not a trader
    const trader: Hotkey = order_uuid;

    expect([app, trader]).to.deep.equal([path.user_id, order_uuid]);
  });

  it('cannot be swapped when they are new', () => {
    const [id, partner, app, user] = [newIntentId(), newId('ptn'), newId('app'), newId('usr')];
    // @ts-expect-error: the partner is in the place of the app
    const isUser: Rest<typeof isUserOf> = [partner, user];
    // @ts-expect-error: the app is in the place of the user
    const ofUser: Rest<typeof isUserOf> = [user, app];
    // @ts-expect-error: an intent has no wallet's place
    const wallet: WalletAddress = id;

    expect([...isUser, ...ofUser, wallet]).to.deep.equal([partner, user, user, app, id]);
  });

  it('distinguish the records of a user', () => {
    const [user, account, payout] = [newId('usr'), newId('prop'), newId('po')];
    // @ts-expect-error: the user and the account are swapped
    const shown: Rest<typeof findPropAccount> = ['app_1', account, user];
    // @ts-expect-error: a payout is no payment
    const paid: Rest<typeof findPayment> = [payout];
    // @ts-expect-error: the payout and the user are swapped
    const ofPayout: Rest<typeof findUserPayout> = ['app_1', payout, user];

    expect([...shown, ...paid, ...ofPayout]).to.include.members([account, user, payout]);
  });

  it('distinguish a trader of the network from a wallet of the exchange, and from the order of either', () => {
    const [hotkey, wallet, order]: [Hotkey, WalletAddress, OrderUuid] = ['entity_1', '0xa', newIntentId()];
    // @ts-expect-error: the exchange knows wallets
    const account: Parameters<Exvenue['account']> = [hotkey];
    // @ts-expect-error: the network's dashboard is by hotkey
    const dashboard: Parameters<VenueReads['dashboard']> = [wallet];
    // @ts-expect-error: the trader and the order are swapped
    const pairOf: Rest<typeof findOrderPair> = ['app_1', order, hotkey];
    // @ts-expect-error: the registration and its wallet are swapped
    const paying: Rest<typeof isOtherPaying> = [wallet, newIntentId()];

    expect([account, dashboard, pairOf.slice(1), paying.slice(0, 1)]).to.deep.equal([
      [hotkey],
      [wallet],
      [order, hotkey],
      [wallet],
    ]);
  });
});
