/** Notes that registers have instead of an address, in lower case without accents and punctuation. */
const notes: ReadonlySet<string> = new Set([
  ...['no fixed abode', 'of no fixed abode', 'no fixed address', 'no permanent address', 'nfa', 'homeless'],
  ...['unknown', 'address unknown', 'unknown address', 'not known', 'none', 'no address', 'n a', 'not available'],
  ...['ohne festen wohnsitz', 'kein fester wohnsitz', 'ofw', 'o f w', 'obdachlos', 'wohnungslos', 'unbekannt'],
  ...['sans domicile fixe', 'sdf', 'sans domicile', 'sans adresse', 'inconnu', 'inconnue', 'adresse inconnue'],
  ...['sin domicilio fijo', 'sin domicilio', 'sin techo', 'desconocido', 'desconocida', 'domicilio desconocido'],
  ...['sem domicilio fixo', 'sem domicilio', 'sem abrigo', 'sem morada', 'desconhecido', 'desconhecida'],
  ...['morada desconhecida', 'senza fissa dimora', 'senza dimora', 'sconosciuto', 'indirizzo sconosciuto'],
  ...['zonder vaste woon of verblijfplaats', 'zonder vaste woonplaats', 'dakloos', 'onbekend', 'adres onbekend'],
  ...['uten fast bopel', 'uten fast bosted', 'ukjent', 'ukjent adresse', 'uden fast bopael', 'uden fast bopel'],
  ...['utan fast bostad', 'utan fast adress', 'okand', 'okand adress', 'bez stalego miejsca zamieszkania'],
  ...['bezdomny', 'nieznany', 'adres nieznany', 'sabit adresi yok', 'adresi yok', 'bilinmiyor', 'adres bilinmiyor'],
  ...['без определенного места жительства', 'без постоянного места жительства', 'неизвестно'],
  ...['без постіиного місця проживання', 'без визначеного місця проживання', 'невідомо'],
  ...['بدون عنوان', 'بلا عنوان', 'لا عنوان', 'بلا ماوى', 'بدون ماوى', 'غير معروف', 'العنوان غير معروف'],
]);

/** Whether a line is a note such as "No fixed abode", or starts with a long one. No letter can be sent to it. */
export function isNoAddress(line: string): boolean {
  const text = plainText(line);
  return text === '' || [...notes].some((note) => text === note || (note.length >= 12 && text.startsWith(`${note} `)));
}

function plainText(line: string): string {
  return line
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
