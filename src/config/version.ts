/** The version of the interface, in the header `API-Version`. The package has the same version. */
export const apiVersion = '1.0.0';
