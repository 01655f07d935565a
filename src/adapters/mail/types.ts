import type { Answer } from '../../kernel/answer.ts';

/** One mail as it goes out. `id` becomes its Message-ID, the same on every try. */
type Letter = { id: string; to: string; subject: string; text: string; html: string };

/** The way out for mails. A mail in doubt may be sent again: its Message-ID tells the two apart from two mails. */
export type Mailer = { send(letter: Letter): Promise<Answer<{ response: string }>>; close(): void };
