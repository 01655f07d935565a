/** The QR code encoder, served from the package next to the console's files. */
export { encode } from 'uqr';
