import { quantile } from '../../chaos/audit.ts';
import { atMost, type Extent, type Figures, type Row, ratioOf, reported, within } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { CHAINS, type Chain, openSides, type Trip, tripsOf } from './sides.ts';

type Size = { rounds: number; calmS: number; busyS: number };
const FULL: Size = { rounds: 6, calmS: 6, busyS: 4 };
const SMALL: Size = { rounds: 5, calmS: 1, busyS: 0.5 };

const RATES = { calm: 50, busy: 200 }; // orders a second
/** Beside the bare chain: at most so many times what it adds. Beside the honest one the ratio is reported. */
const MARKS = { p50: 1.5, p99: 2 };
const CEILING_MS = 100;

/**
 * P2: what the service adds to the venue's own time, beside the bare chain. Orders are sent at a fixed rate, whether or
 * not earlier ones have a response; others go directly to the venue at the same time, through the same adapter.
 */
export async function measureP2({ small }: Extent): Promise<Figures> {
  const { rounds, calmS, busyS } = small ? SMALL : FULL;
  const { service, chain, honest, close } = await openSides();
  try {
    const once = (side: typeof service) => async () => ({
      calm: await tripsOf(side, RATES.calm, calmS),
      busy: await tripsOf(side, RATES.busy, busyS),
    });
    const sides = { service: once(service), chain: once(chain), honest: once(honest) };
    await interleaved(1, sides); // warm-up
    return figures(await interleaved(rounds, sides));
  } finally {
    await close();
  }
}

type Found = { calm: Trip; busy: Trip };
type Rounds = Record<'service' | Chain, Found>[];

function figures(rounds: Rounds): Figures {
  const held = (beside: Chain, of: (found: Found) => number) => ({
    unit: 'ms',
    ...ratioOf(pairsOf(rounds, ['service', beside], of)),
  });
  const added = (rate: keyof Found): Row[] => [
    ...(['p50', 'p99'] as const).flatMap((share) => [
      atMost(MARKS[share], {
        what: `added at ${RATES[rate]}/s, ${share}`,
        ...held('chain', (found) => found[rate].added[share]),
      }),
      reported({
        what: `the same beside ${CHAINS.honest}`,
        ...held('honest', (found) => found[rate].added[share]),
      }),
    ]),
    reported({ what: `round trip at ${RATES[rate]}/s, p50`, ...held('chain', (found) => found[rate].trip) }),
  ];
  const alone = quantile(
    rounds.map(({ service }) => service.calm.added.p50),
    0.5,
  );
  return {
    name: 'P2',
    title: 'an order’s way through the service, beside the bare chain; “added” is without the venue’s own time',
    rows: [
      ...added('calm'),
      ...added('busy'),
      within(CEILING_MS, { what: `added at ${RATES.calm}/s, p50, on any machine`, unit: 'ms', figure: alone }),
    ],
  };
}
