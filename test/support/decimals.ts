import fc from 'fast-check';

/** Decimals of up to 12 digits with the point anywhere, above zero. */
export const positive = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => {
    const text = digits.toString().padStart(places + 1, '0');
    return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
  });

/** Checks a property with 1,000 examples. */
export const holds = <T extends unknown[]>(
  arbitraries: { [I in keyof T]: fc.Arbitrary<T[I]> },
  law: (...given: T) => void,
) =>
  fc.assert(
    fc.property(fc.tuple<T>(...arbitraries), (given) => law(...given)),
    { numRuns: 1_000 },
  );
