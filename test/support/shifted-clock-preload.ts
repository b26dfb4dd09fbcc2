/** `withShiftedClock` loads it before a server. The clock of the process is shifted by the milliseconds in the URL of this module. */
const RealDate = globalThis.Date;
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: ConstructorParameters<typeof Date> | []) =>
    values.length === 0 ? new target(target.now() + shiftMs) : new target(...values),
  get: (target, name, receiver) =>
    name === 'now' ? () => target.now() + shiftMs : Reflect.get(target, name, receiver),
});
