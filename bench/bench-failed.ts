/** The bench cannot continue: a server, a tool or the machine did not behave as expected. */
export class BenchFailed extends Error {
  override readonly name = 'BenchFailed';
}
