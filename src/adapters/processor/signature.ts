import Stripe from 'stripe';

const TOLERANCE_S = 300;

/** The format of a signature header. stripe-node throws untyped errors for some headers of another format. */
const SIGNATURE = /^t=\d{1,12}(?:,v\d=[0-9a-f]{1,128}){1,10}$/;

/** Whether the processor signed a notification's raw body with this secret, at most 300 s ago. */
export function isSigned(
  stripe: Stripe,
  { raw, signature, secret }: { raw: string; signature: string; secret: string },
): boolean {
  if (!SIGNATURE.test(signature)) return false;
  try {
    return stripe.webhooks.signature?.verifyHeader(raw, signature, secret, TOLERANCE_S) === true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}
