import { inspect } from 'node:util';
import { createL1ActionHash } from '@nktkas/hyperliquid/signing';
import { expect } from 'chai';
import fc from 'fast-check';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { encode } from '../../src/sandbox/exchange/msgpack.ts';
import type { Action, Signer } from '../../src/venues/exchange/adapter/action-types.ts';
import { signedBody, signerOf } from '../../src/venues/exchange/adapter/signing.ts';
import type { Network } from '../../src/venues/exchange/adapter/types.ts';
import { type PostedBody, signerOfBody } from '../support/exvenue-signer.ts';
import { type Vector, vectors } from '../support/exvenue-vectors.ts';
import { packed } from '../support/msgpack.ts';

const KEY = `0x${'0123456789'.repeat(6)}0123` as const;
const CLOID = '0x00000000000000000000000000000001';
const networks: Network[] = ['mainnet', 'testnet'];

const signer = (network: Network = 'mainnet', key: string = KEY): Signer => {
  const found = signerOf(key, network);
  if (!found) throw new Error('no key');
  return found;
};
const parsed = (body: string): PostedBody => JSON.parse(body);
/** Public test suites print a signature as one text, or as its halves without leading zeros. */
const spelled = ({ r, s, v }: PostedBody['signature']) => `${r.slice(2)}${s.slice(2)}${v.toString(16)}`;

describe('signing for the exchange', () => {
  for (const vector of vectors) {
    it(`produces the published signature: ${vector.name}, ${vector.network}`, async () => {
      const body = parsed(await bodyOf(vector));

      expect(spelled(body.signature)).to.equal(vector.signature);
    });
  }

  for (const [kind, action] of Object.entries(actions())) {
    for (const network of networks) {
      it(`allows recovery of the signer of ${kind} on ${network}`, async () => {
        const { address, sign } = signer(network);

        const plain = await sign(action, { nonce: 1_700_000_000_000 });
        const expiring = await sign(action, { nonce: 1_700_000_000_001, expiresAfterMs: 1_700_000_015_000 });

        expect(await signerOfBody(plain, network)).to.equal(address);
        expect(await signerOfBody(expiring, network)).to.equal(address);
        expect(parsed(expiring)).to.include({ nonce: 1_700_000_000_001, expiresAfter: 1_700_000_015_000 });
      });
    }
  }

  it('is invalid on the other network', async () => {
    const body = await signer('testnet').sign({ kind: 'noop' }, { nonce: 1 });

    expect(await signerOfBody(body, 'mainnet')).to.not.equal(signer().address);
  });

  it('is invalid once a price, a nonce or the expiry is changed', async () => {
    const body = parsed(await signer().sign(actions().place, { nonce: 1, expiresAfterMs: 9 }));
    const changed = [
      { ...body, nonce: 2 },
      { ...body, expiresAfter: 10 },
      { ...body, action: { type: 'noop' } },
    ];

    const signers = await Promise.all(changed.map((other) => signerOfBody(JSON.stringify(other), 'mainnet')));

    expect(signers).to.not.include(signer().address);
  });

  it('produces the same bytes for the same terms', async () => {
    const bodies = [1, 2].map(() => signer().sign(actions().place, { nonce: 7 }));

    const [first, second] = await Promise.all(bodies);

    expect(first).to.equal(second);
  });

  it('puts members in hash order, decimals without trailing zeros, names in lower case', async () => {
    const body = await signer().sign(actions().place, { nonce: 7, expiresAfterMs: 8 });

    expect(body).to.match(/^\{"action":\{"type":"order","orders":\[\{"a":0,"b":true,"p":"30000","s":"0.1","r":false,/);
    expect(body).to.contain(`"t":{"limit":{"tif":"Gtc"}},"c":"${CLOID.replace('1', 'a')}"},`);
    expect(body).to.contain('"t":{"trigger":{"isMarket":true,"triggerPx":"33000","tpsl":"tp"}}},');
    expect(body).to.contain('"grouping":"normalTpsl"},"nonce":7,"signature":{"r":"0x');
    expect(body).to.match(/,"expiresAfter":8\}$/);
  });

  it('encodes names starting with 0x00000000, numbers beyond 32 bits and lists of 200 as the venue does', async () => {
    const oids = fc.sample(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), 200);
    const action: Action = { kind: 'cancel', orders: oids.map((oid) => ({ asset: 110_003, oid })) };

    const body = await signer().sign(action, { nonce: 5 });

    expect(await signerOfBody(body, 'mainnet')).to.equal(signer().address);
  });

  it('hashes bytes on which two independent encoders and the library agree', () => {
    const leaf = fc.oneof(fc.boolean(), fc.string({ unit: 'grapheme', maxLength: 300 }), fc.maxSafeNat());
    const { action } = fc.letrec((tie) => ({
      action: fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => !/^\d|^__/.test(name)),
        tie('value'),
        { maxKeys: 20 },
      ),
      value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 20 }), tie('action')),
    }));

    fc.assert(
      fc.property(action, fc.nat(), (given, nonce) => {
        const bytes = packed(given);
        const end = Buffer.alloc(9);
        end.writeBigUInt64BE(BigInt(nonce));

        expect(Buffer.from(encode(given)).equals(bytes)).to.equal(true);
        expect(createL1ActionHash({ action: Object(given), nonce })).to.equal(keccak256(Buffer.concat([bytes, end])));
      }),
    );
  });

  it('takes keys with and without 0x and shows addresses in lower case', () => {
    const bare = signer('mainnet', KEY.slice(2));

    expect(bare.address)
      .to.equal(signer().address)
      .and.match(/^0x[0-9a-f]{40}$/);
  });

  for (const text of ['', '0x', KEY.slice(0, -1), `${KEY}0`, `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, 'a word']) {
    it(`rejects “${text.slice(0, 8)}” of ${text.length} characters as a key`, () => {
      expect(signerOf(text, 'mainnet')).to.equal(null);
    });
  }

  it('never shows its key', async () => {
    const held = signer();
    const body = await held.sign({ kind: 'noop' }, { nonce: 1 });
    const failure = await held
      .sign({ kind: 'cancel', orders: [{ asset: 0, oid: Number.NaN }] }, { nonce: Number.NaN })
      .catch((error: unknown) => error);

    const shown = [inspect(held, { depth: 9, showHidden: true }), JSON.stringify(held), body, inspect(failure)].join();

    expect(shown).to.not.contain(KEY.slice(2));
  });
});

/** Vectors of action kinds used by the service go through the builders, the rest through the signing below them. */
function bodyOf({ key, network, nonce, action, raw, vaultAddress, expiresAfterMs }: Vector): Promise<string> {
  const terms = {
    nonce,
    ...(vaultAddress && { vaultAddress }),
    ...(expiresAfterMs !== undefined && { expiresAfterMs }),
  };
  if (action) return signer(network, key).sign(action, terms);
  return signedBody(raw ?? {}, privateKeyToAccount(`0x${key.slice(-64)}`), { ...terms, network });
}

function actions() {
  const order = { asset: 0, side: 'buy', price: '30000.0', size: '0.10', reduceOnly: false } as const;
  const exit = { ...order, side: 'sell', reduceOnly: true } as const;
  const trigger = { price: '33000.0', kind: 'tp', isMarket: true } as const;
  const limit = { ...order, timeInForce: 'gtc', cloid: CLOID.replace('1', 'A') } as const;
  return {
    place: { kind: 'place', orders: [limit, { ...exit, trigger }, { ...exit, trigger }], grouping: 'with_exits' },
    exits: { kind: 'place', orders: [{ ...exit, trigger, cloid: CLOID }], grouping: 'on_position' },
    cancel: { kind: 'cancel', orders: [{ asset: 3, oid: 543_846_303_874 }] },
    cancelByCloid: { kind: 'cancel_by_cloid', orders: [{ asset: 3, cloid: CLOID }] },
    replaceByOid: { kind: 'replace', orders: [{ target: 543_846_303_874, order: limit }] },
    replaceByCloid: { kind: 'replace', orders: [{ target: CLOID, order: limit }] },
    setLeverage: { kind: 'set_leverage', asset: 3, leverage: 20, isCross: false },
    noop: { kind: 'noop' },
  } as const satisfies Record<string, Action>;
}
