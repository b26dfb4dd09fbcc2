/** The version of the interface, on every answer as `API-Version`; the package has the same. */
export const apiVersion = '1.0.0';
