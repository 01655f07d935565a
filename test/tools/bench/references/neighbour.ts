/* A neighbour on the machine: takes one core for as long as it runs. */
process.stdout.write('the neighbour is busy\n');
setImmediate(function work() {
  for (const until = performance.now() + 1_000; performance.now() < until; );
  setImmediate(work); // lets the line above out, and a signal in
});
