import { z } from 'zod';

/** What a log-in is checked against; members are null where nobody has that address, so that both cases cost the same. */
export const loginRow = z.object({
  id: z.string().nullable(),
  password_hash: z.string().nullable(),
  sign_up_hashes: z.array(z.string()), // of sign-ups of that address that own nothing
  totp_seed: z.instanceof(Buffer).nullable(),
  has_totp: z.boolean().nullable(),
  is_known_address: z.boolean(),
  now_s: z.number(), // the database's time, in seconds since the epoch
});

export type LoginRow = z.infer<typeof loginRow>;
