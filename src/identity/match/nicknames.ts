/**
 * Builds the pairs of full and short names. Pairs are not transitive. A policy uses them with `"nicknames": "standard"`, or has its own list.
 */
export function nicknameEdges(groups: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  const join = (one: string, other: string) => edges.set(one, (edges.get(one) ?? new Set()).add(other));
  for (const [formal, ...shorts] of groups) {
    for (const short of shorts) {
      if (formal === undefined) continue;
      join(plain(formal), plain(short));
      join(plain(short), plain(formal));
    }
  }
  return edges;
}

function plain(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Common short forms of given names in some European languages. */
export const standardNicknames = nicknameEdges(
  (
    'alexander alex sandy sascha xander|alexandra alex sandra sasha|andrew andy drew|anthony tony|antonio toni tonio|' +
    'barbara babs|benjamin ben benny|catherine cathy kate|charles charlie chuck|christine chris tina|christopher chris|' +
    'daniel dan danny|david dave|deborah debbie|dmitri dima mitya|edward ed eddie ted ned|elizabeth beth betty eliza liz lisa|' +
    'emmanuel manu|fernando nando|francesco franco|francisco paco pancho|frederick fred freddie|friedrich fritz|' +
    'gabriele gabi|georg jorg schorsch|gertrud trude|giovanni gianni|giuseppe beppe peppe|gregory greg|hans hansi|' +
    'heinrich heinz heiner|helena lena|henry harry hank|ignacio nacho|ivan vanya|jacob jake|jakob kuba|james jim jimmy|' +
    'jan janek|jennifer jen jenny|jessica jess|joaquim quim|johannes hannes hans|john jack johnny|jonathan jon|jose pepe|' +
    'josef sepp|joseph joe joey|joshua josh|karolina karo|katarzyna kasia|katharina kathi|katherine kate kathy katie|' +
    'kenneth ken|lawrence larry|leonard len lenny|ludwig lutz|magdalena lena magda|malgorzata gosia|manuel manolo|' +
    'margaret maggie meg peggy|margarete grete gretel|maria mia mary|maximilian max|mercedes merche|michael mike mick|' +
    'mikhail misha|natalia natasha|nicholas nick|nikolai kolya|nikolaus klaus niko|olga olya|patricia pat patty tricia|' +
    'patrick pat paddy|pavel pasha|peter pete|philip phil|piotr piotrek|rebecca becky|richard dick rich rick|' +
    'robert bob bobby rob robbie bert|ronald ron|rosario charo|samuel sam|sergei seryozha|sofia sonya|stephen steve|' +
    'susan sue susie|susanne susi|thaddeus tad|theodor theo|theresa terry tess|thomas tom tommy|timothy tim|' +
    'tomasz tomek|ulrich uli|valentina valya|victoria vicky|vincenzo enzo|vladimir vova|walter walt|wilhelm willi|' +
    'william bill billy liam will willy|wolfgang wolf|yekaterina katya|yevgeny zhenya|zachary zach|zofia zosia'
  )
    .split('|')
    .map((group) => group.split(' ')),
);
