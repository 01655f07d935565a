import type { UpstreamResult } from '../../kernel/upstream-result.ts';

/** One mail. `id` becomes its Message-ID, which is the same on every attempt. `isBulk`: nobody waits for it; others come first. */
type Letter = { id: string; to: string; subject: string; text: string; html: string; isBulk?: boolean };

/** Sends mails. A mail in doubt may be sent again: the equal Message-ID marks the second copy as a duplicate. */
export type Mailer = { send(letter: Letter): Promise<UpstreamResult<{ response: string }>>; close(): void };
