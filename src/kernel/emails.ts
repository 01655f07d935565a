/** The one spelling of an e-mail address: NFKC, lower case, no spaces around. Two spellings of it are one user. */
export const normalisedEmail = (email: string): string => email.normalize('NFKC').trim().toLowerCase();
