import type { World } from './world.ts';

/** What happens by itself to a checkout of exactly this amount. */
export const magicAmounts = [
  { cents: 11_100, does: 'pay', description: 'Paid at once.' },
  { cents: 11_200, does: 'refund', description: 'Paid at once, and refunded 3 seconds later.' },
  { cents: 11_300, does: 'dispute', description: 'Paid at once, and disputed 3 seconds later.' },
] as const;

/** What a payment of this amount triggers, or null. */
export const magicOfAmount = (cents: number): (typeof magicAmounts)[number]['does'] | null =>
  magicAmounts.find((magic) => magic.cents === cents)?.does ?? null;

/** Whether this user, as the metadata of objects names it, has paid a magic amount: such a person is verified, can receive payouts and is paid at once. */
export const isMagicBuyer = (world: World, userId: string | undefined): boolean =>
  userId !== undefined &&
  [...world.payments.values()].some(
    ({ metadata, amount, status }) =>
      metadata.user_id === userId && status === 'succeeded' && magicOfAmount(amount) !== null,
  );

/** A pause, so that the service learns of one thing before the next. */
export const SOON_MS = 300;
/** Long enough for an account to be created. */
export const LATER_MS = 3_000;
