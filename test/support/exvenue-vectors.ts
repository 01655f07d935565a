import type { Action, OrderTerms } from '../../src/venues/exchange/adapter/action-types.ts';
import type { Network } from '../../src/venues/exchange/adapter/types.ts';

/**
 * A signature published by the test suite of a public SDK, as r, s and v in one line of hex. `action`: an action in the
 * service's format; `raw`: one the service never builds, or one with a number spelled differently.
 */
export type Vector = {
  name: string;
  key: string;
  network: Network;
  nonce: number;
  action?: Action;
  raw?: Record<string, unknown>;
  vaultAddress?: string;
  expiresAfterMs?: number;
  signature: string;
};

type Terms = Omit<Vector, 'network' | 'signature'>;

/** Halves of a signature without leading zeros, as eth_account prints them. */
const halves = (r: string, s: string, v: 27 | 28) => `${r.padStart(64, '0')}${s.padStart(64, '0')}${v.toString(16)}`;
const both = (terms: Terms, mainnet: string, testnet: string): Vector[] => [
  { ...terms, network: 'mainnet', signature: mainnet },
  { ...terms, network: 'testnet', signature: testnet },
];
const placeAction = (order: OrderTerms): Action => ({ kind: 'place', orders: [order], grouping: 'none' });

const python = { key: `0x${'0123456789'.repeat(6)}0123`, nonce: 0 };
const hundred = { asset: 1, side: 'buy', price: '100', size: '100', reduceOnly: false } as const;
const dummy = { ...python, raw: { type: 'dummy', num: 100_000_000_000 } };

/** hyperliquid-dex/hyperliquid-python-sdk, tests/signing_test.py. */
const pythonSdk: Vector[] = [
  ...both(
    { ...dummy, name: 'dummy action' },
    halves(
      '53749d5b30552aeb2fca34b530185976545bb22d0b3ce6f62e31be961a59298',
      '755c40ba9bf05223521753995abb2f73ab3229be8ec921f350cb447e384d8ed8',
      27,
    ),
    halves(
      '542af61ef1f429707e3c76c5293c80d01f74ef853e34b76efffcb57e574f9510',
      '17b8b32f086e8cdede991f1e2c529f5dd5297cbe8128500e00cbaf766204a613',
      28,
    ),
  ),
  ...both(
    { ...dummy, name: 'dummy action for a vault', vaultAddress: '0x1719884eb866cb12b2287399b15f7db5e7d775ea' },
    halves(
      '3c548db75e479f8012acf3000ca3a6b05606bc2ec0c29c50c515066a326239',
      '4d402be7396ce74fbba3795769cda45aec00dc3125a984f2a9f23177b190da2c',
      28,
    ),
    halves(
      'e281d2fb5c6e25ca01601f878e4d69c965bb598b88fac58e475dd1f5e56c362b',
      '7ddad27e9a238d045c035bc606349d075d5c5cd00a6cd1da23ab5c39d4ef0f60',
      27,
    ),
  ),
  ...both(
    { ...python, name: 'limit order', action: placeAction({ ...hundred, timeInForce: 'gtc' }) },
    halves(
      'd65369825a9df5d80099e513cce430311d7d26ddf477f5b3a33d2806b100d78e',
      '2b54116ff64054968aa237c20ca9ff68000f977c93289157748a3162b6ea940e',
      28,
    ),
    halves(
      '82b2ba28e76b3d761093aaded1b1cdad4960b3af30212b343fb2e6cdfa4e3d54',
      '6b53878fc99d26047f4d7e8c90eb98955a109f44209163f52d8dc4278cbbd9f5',
      27,
    ),
  ),
  ...both(
    {
      ...python,
      name: 'limit order with a cloid',
      action: placeAction({ ...hundred, timeInForce: 'gtc', cloid: '0x00000000000000000000000000000001' }),
    },
    halves(
      '41ae18e8239a56cacbc5dad94d45d0b747e5da11ad564077fcac71277a946e3',
      '3c61f667e747404fe7eea8f90ab0e76cc12ce60270438b2058324681a00116da',
      27,
    ),
    halves(
      'eba0664bed2676fc4e5a743bf89e5c7501aa6d870bdb9446e122c9466c5cd16d',
      '7f3e74825c9114bc59086f1eebea2928c190fdfbfde144827cb02b85bbe90988',
      28,
    ),
  ),
  ...both(
    {
      ...python,
      name: 'stop-loss',
      action: placeAction({ ...hundred, trigger: { price: '103', kind: 'sl', isMarket: true } }),
    },
    halves(
      '98343f2b5ae8e26bb2587daad3863bc70d8792b09af1841b6fdd530a2065a3f9',
      '6b5bb6bb0633b710aa22b721dd9dee6d083646a5f8e581a20b545be6c1feb405',
      27,
    ),
    halves(
      '971c554d917c44e0e1b6cc45d8f9404f32172a9d3b3566262347d0302896a2e4',
      '206257b104788f80450f8e786c329daa589aa0b32ba96948201ae556d5637eac',
      28,
    ),
  ),
  ...both(
    { ...python, name: 'a text beside the type', raw: { type: 'createSubAccount', name: 'example' } },
    halves(
      '51096fe3239421d16b671e192f574ae24ae14329099b6db28e479b86cdd6caa7',
      'b71f7d293af92d3772572afb8b102d167a7cef7473388286bc01f52a5c5b423',
      27,
    ),
    halves(
      'a699e3ed5c2b89628c746d3298b5dc1cca604694c2c855da8bb8250ec8014a5b',
      '53f1b8153a301c72ecc655b1c315d64e1dcea3ee58921fd7507e35818fcc1584',
      28,
    ),
  ),
  ...both(
    { ...python, name: 'a type and nothing else', raw: { type: 'scheduleCancel' } },
    halves(
      '6cdfb286702f5917e76cd9b3b8bf678fcc49aec194c02a73e6d4f16891195df9',
      '6557ac307fa05d25b8d61f21fb8a938e703b3d9bf575f6717ba21ec61261b2a0',
      27,
    ),
    halves(
      'c75bb195c3f6a4e06b7d395acc20bbb224f6d23ccff7c6a26d327304e6efaeed',
      '342f8ede109a29f2c0723bd5efb9e9100e3bbb493f8fb5164ee3d385908233df',
      28,
    ),
  ),
  ...both(
    { ...python, name: 'a number beside the type', raw: { type: 'scheduleCancel', time: 123_456_789 } },
    halves(
      '609cb20c737945d070716dcc696ba030e9976fcf5edad87afa7d877493109d55',
      '16c685d63b5c7a04512d73f183b3d7a00da5406ff1f8aad33f8ae2163bab758b',
      28,
    ),
    halves(
      '4e4f2dbd4107c69783e251b7e1057d9f2b9d11cee213441ccfa2be63516dc5bc',
      '706c656b23428c8ba356d68db207e11139ede1670481a9e01ae2dfcdb0e1a678',
      27,
    ),
  ),
];

const rust = { key: 'e908f86dbb4d55ac876378565aafeabc187f6690f046459397b17d9b9a19688e', nonce: 1_583_838 };
/** This suite signs `2000.0`, which the builders would spell `2000`. */
const wire = (t: unknown, more = {}) => ({
  type: 'order',
  orders: [{ a: 1, b: true, p: '2000.0', s: '3.5', r: false, t, ...more }],
  grouping: 'na',
});
const trigger = (tpsl: string) => ({ trigger: { isMarket: true, triggerPx: '2000.0', tpsl } });
const ioc = { limit: { tif: 'Ioc' } };

/** hyperliquid-dex/hyperliquid-rust-sdk, tests of src/exchange/exchange_client.rs. */
const rustSdk: Vector[] = [
  ...both(
    { ...rust, name: 'immediate order', raw: wire(ioc) },
    '77957e58e70f43b6b68581f2dc42011fc384538a2e5b7bf42d5b936f19fbb67360721a8598727230f67080efee48c812a6a4442013fd3b0eed509171bef9f23f1c',
    'cd0925372ff1ed499e54883e9a6205ecfadec748f80ec463fe2f84f1209648776377961965cb7b12414186b1ea291e95fd512722427efcbcfb3b0b2bcd4d79d01c',
  ),
  ...both(
    { ...rust, name: 'immediate order with a cloid', raw: wire(ioc, { c: '0x1e60610f0b3d420597c88c1fed2ad5ee' }) },
    'd3e894092eb27098077145714630a77bbe3836120ee29df7d935d8510b03a08f456de5ec1be82aa65fc6ecda9ef928b0445e212517a98858cfaa251c4cd7552b1c',
    '3768349dbb22a7fd770fc9fc50c7b5124a7da342ea579b309f58002ceae49b4357badc7909770919c45d850aabb08474ff2b7b3204ae5b66d9f7375582981f111c',
  ),
  ...both(
    { ...rust, name: 'take-profit', raw: wire(trigger('tp')) },
    'b91e5011dff15e4b4a40753730bda44972132e7b75641f3cac58b66159534a170d422ee1ac3c7a7a2e11e298108a2d6b8da8612caceaeeb3e571de3b2dfda9e41b',
    '6df38b609904d0d4439884756b8f366f22b3a081801dbdd23f279094a2299fac6424cb0cdc48c3706aeaa368f81959e91059205403d3afd23a55983f710aee871b',
  ),
  ...both(
    { ...rust, name: 'stop-loss at 2000.0', raw: wire(trigger('sl')) },
    '8456d2ace666fce1bee1084b00e9620fb20e810368841e9d4dd80eb29014611a0843416e51b1529c22dd2fc28f7ff8f6443875635c72011f60b62cbb8ce90e2d1c',
    'eb5bdb52297c1d19da45458758bd569dcb24c07e5c7bd52cf76600fd92fdd8213e661e21899c985421ec018a9ee7f3790e7b7d723a9932b7b5adcd7def5354601c',
  ),
  ...both(
    { ...rust, name: 'cancel', action: { kind: 'cancel', orders: [{ asset: 1, oid: 82_382 }] } },
    '02f76cc5b16e0810152fa0e14e7b219f49c361e3325f771544c6f54e157bf9fa17ed0afc11a98596be85d5cd9f86600aad515337318f7ab346e5ccc1b03425d51b',
    '6ffebadfd48067663390962539fbde76cfa36f53be65abe2ab72c9db6d0db44457720db9d7c4860f142a484f070c84eb4b9694c3a617c83f0d698a27e55fd5e01c',
  ),
];

const nktkas = {
  key: '0x822e9959e022b78423eb653a62ea0020cd283e71a2a8133a6ff2aeffaf373cff',
  nonce: 1_234_567_890,
  action: placeAction({ asset: 0, side: 'buy', price: '30000', size: '0.1', reduceOnly: false, timeInForce: 'gtc' }),
};
const vaultAddress = '0x1234567890123456789012345678901234567890';
const expiresAfterMs = 1_234_567_890;

/** nktkas/hyperliquid, tests/signing/mod.test.ts. */
const typescriptSdk: Vector[] = [
  ...both(
    { ...nktkas, name: 'order' },
    '61078d8ffa3cb591de045438a1ae2ed299b271891d1943a33901e7cfb3a31ed80e91df4f9841641d3322dad8d932874b74d7e082cdb5b533f804964a6963aef91c',
    '6b0283a894d87b996ad0182b86251cc80d27d61ef307449a2ed249a508ded1f76f884e79f4a0a10af62db831af6f8e03b3f11d899eb49b352f836746ee9226da1b',
  ),
  ...both(
    { ...nktkas, name: 'order for a vault', vaultAddress },
    '77151b3ae29b83c8affb3791568c6452019ba8c30019236003abb1efcd80943355668c02f6ad4a1c335ce99987b7545984c4edc1765fe52cf115a423dc8279bb1b',
    '294a6cf713483c129be9af5c7450aca59c9082f391f02325715c0d04b7f48ac1119cfd947dcd2da1d1064a9d08bcf07e01fc9b72dd7cca69a988c74249e300f01b',
  ),
  ...both(
    { ...nktkas, name: 'order that expires', expiresAfterMs },
    '162a52128fb58bc6adb783e3d36913c53127851144fc45c5603a51e97b9202fd469571eb0a2101a32f81f9584e15fd35c723a6089e106f4f33798dbccf7cd4161c',
    '5094989a7c0317db6553f21dd7f90d43415e8bd01af03829de249d4ea0aa5f66491d04966e81662bd4e70d607fac30e71803c01733f4f66ff7299b0470675b8b1b',
  ),
  ...both(
    { ...nktkas, name: 'order for a vault that expires', vaultAddress, expiresAfterMs },
    '78fcca006d7fdfaf1f66978ef7a60280246fc3e7a5b39a68a1656c3e42c58bf161a09957de7f0886c2bdffb7a94e3a257bf240796883ea6ceaf4d0be37055cdd1b',
    '3a0bbbd9fadca54f58a2b7050899cecb97f68b2f693c63e91ca60510427326d760f75f12cae7b9dc18b889406192afcaf13f40d2f8c68cc01f7f83f3fb5deb231b',
  ),
];

export const vectors: readonly Vector[] = [...pythonSdk, ...rustSdk, ...typescriptSdk];
