/**
 * The canonical form of an e-mail address: NFKC, lower case, trimmed. Addresses with the same canonical form are one
 * user.
 */
export const normalisedEmail = (email: string): string => email.normalize('NFKC').trim().toLowerCase();
