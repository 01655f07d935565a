/** The encoder of the package qrcode, which the edge joins into one file for the browser. `data` holds a byte for each module, by rows. */
export function create(
  text: string,
  options: { errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H' },
): { modules: { size: number; data: Uint8Array } };
