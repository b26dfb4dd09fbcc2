// Words of street addresses by language. One word is `word spelling spelling`; `|` separates words, and `_` is a blank. Words
// are written with their diacritics. Abbreviations that begin with the first letter and omit later ones need no entry if they are long
// (`abbreviates` in street-words.ts).
// Sources of the abbreviations: USPS Publication 28 (appendix C1), Canada Post, AS 4590 (Australia), usage of Royal Mail, AFNOR XP Z10-011
// and FANTOIR (France), INE and Catastro (Spain), CTT (Portugal), Correios (Brazil), NEN 5825 (Netherlands), TERYT (Poland) and
// KLADR (Russia). The other languages have the abbreviations of usual practice.

/** Kinds of streets. `*` marks the word that the language omits by default. */
export const streetTypeSource: Readonly<Record<string, string>> = {
  en: `
alley ally aly allee|annex anex annx anx|arcade arc|avenue av ave aven avenu avn avnue|bayou byu bayoo|beach bch|bend bnd|bluff blf bluf|bluffs blfs|bottom bot btm bottm|boulevard blvd bvd boul boulv bd bvde bld|branch br brnch|bridge brg brdge bdge|brook brk|brooks brks|burg bg|burgs bgs
bypass byp bypa bypas byps|camp cp cmp|canyon cyn cnyn canyn|cape cpe|causeway cswy caus causwa cwy|center centre ctr cen cent centr cnter cntr|centers centres ctrs|circle cir circ circl crcl crcle|circles cirs|cliff clf|cliffs clfs|club clb|common cmn cmmn|commons cmns|corner cor cnr crn
corners cors|course crse|court ct crt|courts cts|cove cv cve|coves cvs|creek crk ck cr|crescent cres cresc crsent crsnt cr crs|crest crst|crossing xing crssng crsg|crossroad xrd crd|crossroads xrds xroads|curve curv|dale dl|dam dm|divide dv div dvd|drive dr drv driv dve|drives drs|estate est
estates ests|expressway expy exp expr expw express expwy|extension ext extn extnsn|extensions exts|falls fls|ferry fry frry|field fld|fields flds|flat flt|flats flts|ford frd|fords frds|forest frst|forge frg forg|forges frgs|fork frk|forks frks|fort ft frt|freeway fwy frwy frway freewy
garden gdn grdn grden gardn|gardens gdns grdns gds|gateway gtwy gtway gatwy gatewy gwy|glen gln|glens glns|green grn gn|greens grns|grove grv grov gr gro gve|groves grvs|harbor harbour hbr harb harbr hrbor|harbors harbours hbrs|haven hvn|heights hts ht hgts|highway hwy hway hiwy hiway highwy
hill hl|hills hls|hollow holw hllw|inlet inlt|island is islnd isld|islands iss islnds|isle|isles|junction jct jctn jction junctn jnc jn|junctions jcts jctns|key ky|keys kys|knoll knl knol|knolls knls|lake lk|lakes lks|landing lndg lndng ldg|lane ln lne|lanes lns|light lgt|lights lgts|loaf lf
lock lck|locks lcks|lodge ldg ldge lodg|loop lp|mall|manor mnr|manors mnrs|meadow mdw|meadows mdws mdw|mews mws ms|mill ml|mills mls|mission msn missn mssn|motorway mtwy mwy|mount mt mnt|mountain mtn mntn mntain|mountains mtns mntns|neck nck|orchard orch orchrd|oval ovl|overpass opas ovp
park prk pk|parks pks|parkway pkwy pky pkway parkwy pwy|parkways pkwys|pass|passage psge pasg|path pth|pike pke|pine pne|pines pnes|place pl plc|plain pln|plains plns|plaza plz plza|point pt pnt|points pts|port prt|ports prts|prairie pr prr|radial rad radl|ramp rmp|ranch rnch|ranches rnchs
rapid rpd|rapids rpds|rest rst|ridge rdg rdge|ridges rdgs|river riv rvr rivr|road rd|roads rds|route rte rt|row|rue|run|shoal shl|shoals shls|shore shr|shores shrs|skyway skwy|spring spg spng sprng|springs spgs spngs sprngs|spur|spurs|square sq sqr sqre squ|squares sqs sqrs|station sta stn statn
stravenue stra strav straven stravn strvn|stream strm|street st str strt|streets sts|summit smt sumit|terrace ter terr tce trc tc|throughway thruway trwy|trace trce|track trk trak trck|trafficway trfy|trail trl|trails trls|trailer trlr|tunnel tunl tunnl|turnpike tpke tpk trnpk turnpk
underpass upas|union un|unions uns|valley vly vlly vally|valleys vlys|viaduct vdct via viadct|view vw|views vws|village vlg vill villg villag vge|villages vlgs|ville vl|vista vis vist vst vsta|walk wlk wk|wall|way wy|ways|well wl|wells wls|access accs acc|alleyway alwy|amble ambl|anchorage ancg
approach app apr appr|artery art|avenues aves|basin basn bsn|block blk|brace brce|brae|broadway bdwy bway bwy brdwy|brow|byway bywy|centreway cnwy|chase ch chse chs|circlet clt|circuit cct circt ccuit|circus crcs crc|close cl clo cls|cloisters clstrs|colonnade clde|concourse con|copse cps cpse
corso cso|courtyard ctyd cyd|cross crss|crossway cowy|cruiseway cuwy|cul_de_sac cds|cutting cttg|dell|dene|deviation devn|dip|distributor dstr|diversion divers|downs dns|driveway drwy dvwy|edge|elbow elb|end|entrance ent|fairway fawy|firetrack ftrk|firetrail fitr|follow folw|footway ftwy
foreshore fshr|formation form|front frnt|frontage frtg|gap|gate gte|gates gtes|glade gld glde|grange gra grg|ground grnd|grounds grnds|gully gly|heath hth|highlands hghlds|highroad hrd hird|industrial_estate ind_est i_e|interchange intg|intersection intn|laneway lnwy|limits lmts|line|link lnk
lookout lkt lkout|market mkt|meander mndr|mew|moor|nook|outlook otlk|parade pde par|parklands pkld|part|pathway phwy ptway pway|piazza piaz|plateau plat|pocket pkt|promenade prom pmde|private pvt|quad|quadrangle qdgl|quadrant qdrt quad|quay qy|ramble rmbl|range rnge rge rg|reach rch
reserve res rsv|residence res|retreat rtt rtrt|ride|ridgeway rgwy|right_of_way rowy|ring rng|rise ri rse|riverway rvwy|riviera rvra|roadside rdsd|roadway rdwy|ronde rnde|rotary rty|round rnd|roundabout rdbt|service_way swy svwy|siding sdng|slope slpe|sound snd|state_highway shwy sh s_h|steps stps
strand strd|strip strp|subway sbwy|tarn tn|thicket thick|thoroughfare thor|tollway tlwy twy|top|tor|tower twr|towers twrs|townline tline|triangle tri|trunkway tkwy|turn trn|vale vle|villa vlla|villas vlls vls|wade|walkway wkwy wky|wharf whrf whf wrf|wood wd|woods wds|wynd|yard yd yrd|yards yds
state_road sr s_r|state_route sr s_r|interstate i|farm_to_market_road fm f_m|rural_route rr|building bldg bld|buildings bldgs|concession conc|garth gth|croft|fold|hey|lea|mead|bank bk bnk|bay|brink|drove|hangar|acre|acres|campus|busway|crook|esplanade|flyover|lees|quays|pier|precinct pct|stile
vennel|wharves|county_road cr co_rd cty_rd c_r c_rd|county_highway ch co_hwy cty_hwy c_h|county_route cr co_rte|county_trunk_highway cth|state_trunk_highway sth|us_highway us_hwy u_s_hwy|national_highway nh|ranch_road rr|township_road tr twp_rd|forest_road fr|forest_service_road fsr
service_road svc_rd serv_rd s_rd|frontage_road frontage_rd|access_road acc_rd|private_road pvt_rd|business_park bus_pk b_p|industrial_park ind_pk|shopping_centre shopping_center|carriageway cwy|footpath fpath|cycleway|bridleway|embankment emb embkmt embk|dock dk dck|docks dks|cottages cotts
cottage cott|farm fm frm|quarter qtr|lawn lwn|paddock|towpath|passageway|railway rly|stairway|greenway|waterway|seafront|waterfront|slipway|boardwalk|airwalk awlk|arterial artl|belt|beltway|bowl|broadwalk brdwlk|burrow|canal cnl|cluster clr|concord cncd|connection cntn|corridor crdr|dash
domain dom|down|easement esmt|firebreak fbrk|fireline flne|hike|hub|ladder ladr|leader ledr|lynne|mart|maze|mile|outlet otlt|palms plms|paradise prds|peninsula psla|pursuit prst|reef|return rtn|rising rsng|shunt|skyline skln|straight|strait stai|tramway tmwy|traverse tvse|twist|verge|vue
waters wtrs|crief crf|corral|gallery|glebe|gulch|gulf|hammock|isthmus|jetty|ginnel|keep|kirk|landings|leigh|level|loan|loke|lowlands|maltings|marina mna|mere|moorings|moss|nursery|opening|orchards|paddocks|pond|quarry|quayside|quarters qtrs|ravine|rigg|ridgeline|riverside|rotunda|sands|side
spinney|stables|stede|stairs|terminal term|toft|twitten|twitchel|vineyard|warren|watch|weir|whiteway|woodland|woodlands|wye|break brk|bottoms btms|brake|butts|byre|campground|carpark car_park|churchyard|cay|coast|college|coppice|chine|cuttings|deck|dyke|drift|fosse|folly|holt|hurst|lagoon|llanos
moorland|mobile_home_park mhp|paseo|camino|calle|avenida|via|rancho|vereda|autoroute aut|chemin|rang|ruelle|parkland|steading|sidewalk|wold|kloof|crossover|entry|exchange|fen|footbridge|pasture|pathways|head hd`,
  es: `
calle c cl cll|avenida av avd avda ave avenid|plaza pl plz plza pz pza plaz|paseo p po ps pso pseo pas|carretera cr ctra crta cra carr carret|travesía tr trv trva trav travs tvsia tra trvs|urbanización ur urb urbaniz|camino cm cno cmno cam cmo|ronda rd rda ron|glorieta gl gta glta glor
gran_vía gv gran_v g_v|pasaje pj pje psje psj pasj|callejón cj cjon clljn cllon callej|calleja cj cllja cja|callejuela cjla|alameda al alam almda|acceso ac acces|arroyo ay arry|autopista au aut autop atpta|autovía au autov atvia|bajada bj bjda baj bda|barriada bda barda barr
barrio bo br brio bro barr|barranco br branc bco|bulevar blvr blvd blv bul bulev bulv bv|boulevard blvd blv bv|cañada cda cñda|caserío cs csrio|cerro|colonia cn col|conjunto cj conj cjto cto|costanilla ct cstan|cuesta ct csta cta|chalet ch|diseminado ds disem dis|edificio ed edif
escalinata es escal esca|escalera esc|escaleras|explanada ex expla|extramuros extrm|finca fn fca|grupo gr grup gpo|huerta ht hta|huerto ht hto|jardín jrd|jardines jr jrdes jard jdn|ladera ld|lugar lg lug|malecón ma mal malec|mercado mc merc|muelle ml muell|parcela pa parc|parque pq pque prq par
partida pd ptda pda|pasadizo pu pdzo|plazuela pzla plzla plzuela|plazoleta pzta plzta pzo|placeta plcta plta|poblado pb pobl pbdo|polígono pg pol polig plgno pgno|polígono_industrial pol_ind pi p_i|prolongación pr prol prolong prlg|puente pt pte pnte|rambla rb rbla ramb|ramal rm|rampa rp rmpa
riera rr|rincón rc rcon|rinconada rcda|rúa ru|salida sa sal|sector sc sec sect|senda sd snda|sendero sdro send|subida su sbda sub|torrente to trrnt|valle va vll|vereda vr vda vreda ver|vía vi|vial vl|viaducto vd vto|aldea|arrabal arral|apartamentos aptos|carrera cra kra kr cr crr carr|carrerón
callizo cz|carreterín|cantón|camí|corral|corrala|corralillo|corredera crrdera|corredor|corredoira|costera|cruce cruc|diagonal dg diag|transversal tv trans transv tranv trvl|avenida_calle ac a_c|avenida_carrera ak a_k|circular circ|circunvalación circv circunv cv|circunvalar|circuito cto circ ccto
calzada calz czda|cerrada cda cerr|privada priv pdas|retorno ret rto|andador and|fraccionamiento fracc frac fto|manzana mz mza mzna mzn|supermanzana sm smz|jirón jr|kilómetro km|periférico perif|libramiento lib libr|eje|corregimiento corr|unidad_habitacional u_h uh|ampliación amp ampl
reparto rpto rto rep|residencial res resid|residencia res|ejido ej|hacienda hda hcda|rancho rcho|ciudadela cdla|cooperativa coop|cuadra cdra cda|villa|villas|zona|zona_industrial zi z_ind z_i|parque_industrial pq_ind p_i|carretera_nacional cn c_n ctra_nac|camino_vecinal cv c_v|paseo_marítimo p_m
bloque blq bl|barranquil|caleya|carril crril|entrada entd|espalda|estrada|ensanche|galería gal galer|masía|monte mte|núcleo ncleo|páramo|paraje pje praj|pista|portal|portales|postigo|pretil|quinta qta|ribera rbra|sitio|solar|soportales|trasera tras|travessera|vecindario|veredilla
conjunto_residencial conj_res c_r|conjunto_habitacional conj_hab|granja|hipódromo|lago|pasadera|pasillo|pasarela|peatonal|puerto pto|rotonda rtda rot|sección secc|terminal|torre|troncal tc|variante vte var|caleta|cabecera|canal|cantera|cuadrante|avenidas avs|apeadero|atajo|bocacalle|cañadón
embarcadero|escollera|espigón|loma|paso|pinar|pozo|sendera|soto|solares|traseras|urbanizaciones|zanja|ramblizo|ribazo|recinto|asentamiento|centro_comercial cc c_c|condominio cond|estación est|parcelación|parcelamiento|ranchería|ramales|torres|cuchilla`,
  ca: `
carrer c cr|avinguda av avda avgda avg|passeig pg psg|plaça pl pça plç|carretera ctra|camí cm cmi|rambla rbla|ronda rda|travessera trav|travessia trv trav|passatge ptge pge psge|placeta plta pcta|polígon pol pgon|polígon_industrial pol_ind|urbanització urb|barri bri|baixada bda bxda
pujada pda pjda|riera ra|torrent trnt torr|moll|jardins jard|parc|partida ptda pda|costa|veïnat vnat|raval rval|carreró cró|via|pont|disseminat dissem|colònia col|rotonda|glorieta gta`,
  eu: `
kalea k kale kl|etorbidea etorb etb|hiribidea hirib hbidea|plaza pl|pasealekua paseal|ibilbidea ibilb|bidea bid|errepidea errep|auzoa auz|zumardia zum|zeharbidea zeharb`,
  gl: `
rúa r ru|avenida av|praza pz pr prza|estrada estr|camiño cam|costa|travesía trv|lugar lg|ruela|paseo ps|praciña|polígono pol|urbanización urb|parque|ponte`,
  pt: `
rua r|avenida av avn ave avda|travessa tv trav tr tra trv|alameda al alam ala|praça pc pç pça pca pr prc prç|praceta pct pcta|pracinha pcnh|estrada est estr etr|rodovia rod rdv|largo lg lgo lrg l|larguinho|beco bc bco b|calçada cc calç calc cçd|calçadinha cçdnh|caminho cam cm cmn|azinhaga az azinh
bairro b br bro|urbanização urb|rotunda rot rtd|escadas esc|escadinhas escnh|ladeira ld lad|quinta qta qt|quintas|jardim jd jrd jard jdm|parque pq pque prq pqe parq|vila vl v vla|viela vie|via|viaduto vd vdt viad|loteamento lot|conjunto cj conj cjto|conjunto_residencial conj_res
conjunto_habitacional conj_hab|quadra qd qda|lote lt|setor st set|sector sect|residencial res resid|residência|condomínio cond cd|chácara ch chac|fazenda faz fz|sítio sit st|ponte pte pnt|passagem psg pas pass psgm|passeio ps pass psei|passadiço|pátio pat pto|ramal rml ram|terminal term|trevo trv
vereda ver vr|vale|servidão srv serv|distrito dt dist|distrito_industrial dist_ind|estação etc estac|estádio|favela fav|feira fra|ilha ilh|lagoa lga lag|lago|morro mro|núcleo nuc|rampa rmp|recanto rec|reta|retorno ret|subida sub|terreiro ter|túnel tun|zona zn|zona_industrial zi|lugar lug|monte mte
campo cpo|colônia col|bulevar blv blvd bul|boulevard blv blvd|cais|campus|casal csl|contorno|cruzamento cruz|entrada ent|esplanada esp espl|galeria gal glr|gaveto|impasse|marginal marg|mercado merc|outeiro|auto_estrada ae autoest|autoestrada|autopista|estrada_regional er|complexo|herdade|travessia
vicinal vic|acesso ac aces|aeroporto aer|área|anel|rodoanel|eixo|trecho|balneário bal|canal can|circular circ|corredor|elevada elev|elevado|jardinete|porto|prolongamento prol|estância|rossio|rampas|ribeira|serra|arruamento|arco|congosta|fonte|granja|gandara|loteamentos|miradouro|moinho|picada
ponta|portas|quelha|senda|terras|torre|vivenda vv viv|vivendas|calçadão|ciclovia|caminho_municipal cm|passarela|praia pr|margem|módulo|aldeia|baía|bosque|cabeço|circunvalação|chapadão|córrego|encosta|escadaria|estacionamento|invasão|pinhal|pomar|poço|portão|povoado|povoação|prado|ramada|riacho
ruela|tapada|trilho|trilha|variante|várzea|veredas|nó`,
  it: `
via v|viale v_le vle vl|vialetto|piazza p_za p_zza p_zz pza pzza pz p|piazzale p_le ple p_zle pzle|piazzetta p_tta ptta p_zta|corso c_so cso c cor|largo l_go lgo lg|larghetto|vicolo vic v_lo vlo vc|vicoletto|vico v_co|strada str s_da|stradone|stradella|stradello|stradina|località loc l_tà
frazione fraz fr|contrada c_da cda contr|borgo b_go bgo|borgata borg|galleria gall gal g_ria|lungomare l_mare lmare lungom|lungolago l_lago|lungarno|lungotevere l_tevere ltevere|lungofiume|lungo|salita sal|scala|scale|scalinata scal|scaletta|scalone|gradinata|gradini|traversa trav tr trv
passaggio pass|passeggiata pass_ta passegg|passo|passerella|rione r_ne|rotonda rot|rotatoria|sentiero sent|strada_statale ss s_s|strada_provinciale sp s_p|strada_comunale sc s_c|strada_regionale sr s_r|strada_vicinale s_vic|strada_privata s_priv|statale|provinciale|viottolo|calle|calletta|campo
campiello|campazzo|fondamenta fond|fondaco|rio|ramo|salizada|sestiere|sotoportego|ponte|porta|quartiere quart q_re qre|regione reg|ripa|riva|rampa|rampe|discesa|svincolo|tangenziale tang|raccordo racc|autostrada autostr aut|superstrada|bastioni bast|bastione|circonvallazione circ circonv circ_ne
villaggio vill|zona|zona_industriale zi z_i z_ind|zona_artigianale za z_a|cascina casc c_na|chiasso|corte|cortile|cupa|costa|darsena|erta|foro|giardino|giardini|isola|isolato|lido|loggia|mura|molo|nucleo|pendio|piaggia|podere pod|parco|pista|portico|portici|ruga|supportico|stretto|stretta|spiazzo
spalto|slargo|terrazza|trazzera|vallone|vanella|viadotto|via_vecchia v_v|via_nuova v_n|vocabolo voc|complanare|diramazione dir diram|prolungamento prol|masseria mass|carruggio|ronco|rondò|tratturo|maso|piana|poggio|rivetta|riviera|tenuta|vicinale|alzaia|androna|angiporto|archivolto|arco|boschetto
barriera|belvedere|binario|bivio|braccio|calata|campielo|cantone|carraia|cavalcavia|clivo|corsia|crocicchio|crosa|emiciclo|fossato|fossa|fosso|incrocio|marina|mulattiera|naviglio|pontile|pozzo|prato|quadrivio|recinto|rua|scesa|sdrucciolo|sopportico|tronco|viuzza|banchina|borghetto|contrà|gradoni
tratto|trasversale|viottola|rotabile|rettifilo|rivo|scalea|scaloni|sobborgo|terrazze|tornante|vallata|vialone|viottoli|viuzzo|volta|volto|sottoportico|sottopasso|sottovia|cavone|chiassuolo|chiostro|fossi|gradelle|imbarcadero|lista|murazzi|palude|passeggio|prolungo|riello|rughetta|ruotabile
strettoia|stretti|valletta|parallela par|ponticello|baluardo|bastia|casale|costarella|costiera|crocevia|crocera|frazioni|parcheggio|sestieri|stradario|stagno|vigna|vignale|litoranea lit`,
  fr: `
agglomération agl|allée all al|allées alls|ancien_chemin ach|ancienne_route art|angle angl|arcade arc|autoroute aut|avenue av ave aven|avenues avs|barrière bre|bas_chemin bch|bassin bsn|bastide bstd|bastion bast|béguinage begi|berge ber|bois|boucle bcle|boulevard bd bvd bld blvd boul boulv
bourg brg bg|bretelle brtl|campagne cgne|camping cpg|carré carr|carreau cau|carrefour car carf|carrière care cae|castel cst|cavée cav|centre ctre|centre_commercial ccal c_cial c_c|chalet chl|champ chp|charmille chi|chaussée chs chau ch|chemin che ch chem chm|chemin_départemental cd c_d
chemin_rural cr c_r ch_rur|chemin_vicinal chv cv c_v|cheminement chem|cité cite|clos|cloître cloi|colline coli|contour ctr|corniche corn cor|cottage cott|cour|cours crs|coursive cive|croissant crois|darse dars|degré deg|descente dsc|digue dig|domaine dom|écart eca|échangeur ech|enclave env
enclos enc|escalier esc|espace espa|esplanade esp espl esplan|étang etng|faubourg fg fbg fbrg faub|fond fd|fosse fos|galerie gal|garenne garn|grand_boulevard gbd|grand_ensemble gden|grande_rue gr gr_rue grd_rue|grille gri|grimpette grim|groupe gpe gr|groupement gpt|hameau ham hmu|haut_chemin hch
immeuble imm|impasse imp|jetée jte|levée leve|lieu_dit ld l_d|lotissement lot|manoir man|montée mte|nouvelle_route nte|parc|parking pkg|parvis prv|passage pas pass psge|passage_à_niveau pn|passerelle ple|patio pat|pavillon pav|périphérique peri periph|péristyle psty|petit_chemin pch
petite_allée pta|petite_avenue pae|petite_impasse pim|petite_route prt|petite_rue ptr|place pl plc|placis plci|plage plag|plaine pln|plateau plt|pointe pnt|pont|porte pte|portique porq|poterne pot|promenade prom promen|presqu_île prq|quai qu q|quartier qua qrt qu quart|raccourci rac|raidillon raid
rampe rpe|rang rg|rempart rem|résidence res resid résid|rive|rocade roc|rond_point rpt rd_pt rd_point rp r_pt|rotonde rtd|route rte r|route_départementale rd r_d rte_dép|route_nationale rn r_n rte_nat|rue r|ruelle rle rlle|sente|sentier sen sent|square sq|terrasse tsse ter terr|terre_plein tpl
traverse tra|val|venelle ven|via|vieille_route vte|vieux_chemin vche|village vge vlge vil|villa vla|villas|voie voi v|voie_communale vc|zone_artisanale za z_a|zone_d_activités zone_activités zac z_a|zone_industrielle zi z_i|dreve drève|butte|route_forestière rf|bâtiment bat bât`,
  de: `
straße str|weg wg w|platz pl plz|gasse g gas|allee al|chaussee ch chs|damm|ufer|ring rg|steig stg|pfad|graben|promenade prom|brücke br brk|markt mkt|berg|hof|kai quai|park|autobahn ab|siedlung sdlg siedl|anlage anl|passage pass|gang|bundesstraße bundesstr b|landesstraße landesstr l
landstraße landstr l|kreisstraße kreisstr k|staatsstraße staatsstr sts|bundesautobahn bab|bahnhof bhf bf|hauptbahnhof hbf|fußgängerzone fgz|autostraße autostr`,
  nl: `
straat str|laan ln l|weg wg w|plein pln pl|gracht gr grt|singel sngl sgl|kade kd|dijk dk|steeg stg|dreef dr|plantsoen plnts plts plantsn|hof|hofje|pad pd|park pk prk|straatweg strwg strw|boulevard blvd bd boul bld|markt mkt mrkt|kanaal kan|ring|baan bn|lei|steenweg stwg stw steenwg|brug br
haven hvn|berg|poort|burgwal bgw|wal|wijk|veld|vest|wandeling|buurt|oord|erf|gaard|gaarde|sluis|tuin|eiland|molen|heide|werf|promenade prom|galerij|passage|autosnelweg|snelweg|autoweg|provinciale_weg prov_weg|rijksweg rw|rijksstraatweg|zoom|brink|avenue av ave|esplanade|allee|toren|hoek
dwarsstraat dwarsstr dwstr dwarsstrt|kwartier|terrein|bos|rotonde|zijde|oever|hoeve|wetering|vaart|dam|dal|es|hage|hout|kamp|kering|kolk|mede|meent|mond|opgang|plaats|rak|rand|rei|rijweg|rij|schans|stede|stoep|straatje|trap|tunnel|vlakte|voort|waard|wegel|weide|wende|zand|akker|binnenhof|binnenweg
bolwerk|bocht|burcht|centrum|drift|donk|gang|gouw|grift|kaai|kouter|kruispunt|kruisweg|ringweg|rue|viaduct|vliet|voetpad|fietspad|villapark|weerd|industrieterrein ind_terr|bedrijventerrein|bedrijvenpark|sloot|start|tocht|zijstraat zijstr|zijweg|voetgangerspad|zandweg|ventweg|doorgang|horst
kwekerij|lus|passantenhaven|poel|punt|spoor|stadion|tramweg|woud|wold`,
  da: `
gade g gd|vej v vj|allé al|plads pl|torv t|stræde str|boulevard blv boul blvd bd bvd|vænge|park|have|kaj|sti stien|bakke bk|strand|toft|gang|bro|gyde|lund|mark|promenade|skov|vang|høj|eng|center ctr|centret centeret|brygge`,
  nb: `
gate gt g gata gaten|vei veien vn v veg vegen|plass pl plassen|torg tg torget|torv torvet|allé al alléen|sti stien|bakke bk bakken|smug smuget|smau smauet|brygge bryggen|kai kaien|ring ringen|tun tunet|terrasse terr terrassen|strete stredet|gård gården|park parken|hage hagen|li lia|haug haugen
ås åsen|løkke løkka løkken|sving svingen|krok kroken|stubb stubben|vang vangen|bro broen bru brua|far faret|dal dalen|promenade promenaden|tråkk tråkket|kolle kollen|skrent skrenten|strand stranda stranden|myr myra|esplanade esplanaden|boulevard bulevard|riksvei rv|fylkesvei fv|felt feltet
grend grenda|jorde jordet|kleiv kleiva|lund lunden|mark marka|almenning almenningen alm|bukt bukta|eng enga|hei heia|rygg ryggen|sløyfe sløyfa|topp toppen|trapp trappen|vik vika|voll vollen|veita veiten|geil geilen`,
  sv: `
gata g gatan|väg v vägen|gränd gr gränden|torg t tg torget|plats pl platsen|plan planen|stig st stigen|allé allén|backe backen|kaj kajen|led leden|esplanad espl esp esplanaden|boulevard bulevard boulevarden|park parken|bro bron|trappa trapporna trappor trappan|ring ringen|gård gården
slinga slingan|höjd höjden|strand stranden|hamn hamnen|kulle kullen|udde udden|hage hagen|promenad promenaden|riksväg rv|länsväg lv|dal dalen|ås åsen|terrass terrassen|stråk stråket|kvarter kv kvarteret|lund lunden|krok kroken|sväng svängen|vik viken|äng ängen|kanal kanalen|brygga bryggan
båge bågen|brink brinken|fält fältet|gång gången|gärde gärdet|mark|port porten|rad raden|sida sidan|spår spåret|täppa täppan|vall vallen|vret vreten|vång vången`,
  fi: `
katu k kt|tie t|kuja kj kuj|polku p plk|aukio|tori tr|ranta r rta|puistikko pko puist|kaari|väylä|penger|piha ph|portti|rinne|mäki|valtatie vt|kantatie kt|moottoritie mt mtie|seututie st|yhdystie yt|bulevardi bul|esplanadi esp espl|puisto pst|raitti rt|silta|linja|kulma|maantie mnt|porras portaat`,
  is: `
gata g|vegur v|braut br|stígur st|torg|stræti|gerði|tún|holt`,
  pl: `
*ulica ul u|aleja al|aleje al|plac pl plc|osiedle os|skwer skw|bulwar bulw bul|droga dr|park pk|rynek ryn|szosa sz|wybrzeże wyb wybrz|wyspa wysp|ogród ogr|zaułek zauł zau|most|trasa tr|pasaż pas|promenada prom|dzielnica dz dzieln|kolonia kol|droga_krajowa dk|droga_wojewódzka dw|nabrzeże nabrz`,
  cs: `
*ulice ul|třída tř|náměstí nám nm|nábřeží nábř náb|sídliště sídl|cesta|silnice sil|most|alej|sady|kolonie kol|park|předměstí předm|plac|rynek|val|čtvrť čtv|nádraží nádr`,
  sk: `
*ulica ul|trieda tr|námestie nám|nábrežie nábr náb|sídlisko sídl|cesta|hradská hrad|alej|most|park|sady|kolónia kol`,
  hr: `
*ulica ul|trg|cesta c|avenija av|put|prilaz pril|šetalište šet šetal|obala ob|naselje nas|aleja al|odvojak odv|stube|prolaz prol|bulevar bul|most|park|poljana polj|autocesta ac|riva`,
  sl: `
*ulica ul|cesta c|trg|pot|nabrežje nab nabr|naselje nas|steza|avtocesta ac|park|most|hitra_cesta hc|promenada`,
  hu: `
*utca u|utcája|út|útja|tér t|tere|körút krt|körtér krtr|köz|sétány stny sét|fasor fs|rakpart rkp rakp rp|sor|lakótelep ltp lkt lktp|park|liget|lépcső|dűlő dl|telep tlp|sugárút sgt sugút|udvar|híd|kert|part|piac|major mjr|tanya|puszta|üdülőtelep üdtp|forduló|domb|domboldal|gát|hegy|határút|határsor
kapu|kikötő|körönd|kör|lejtő|lejáró|menete|mélyút|oldal|ösvény|pálya|pályaudvar pu|pincesor|rét|sikátor|sziget|sarok|szél|szőlőhegy|töltés|tag|tető|turistaút|udvara|utak|vár|völgy|zug|zártkert|zsákutca|autópálya|autóút|főút|főutca|alagút|aluljáró|árok|átjáró|bekötőút|bástya|csatorna|emlékút|erdő
erdősor|esplanád|feljáró|fürdő|főtér|gyár|ipartelep|iparterület|kertváros|kertsor|környék|állomás|mező|rakodó|kerület ker|negyed|kőfejtő|bányatelep|felüljáró`,
  ro: `
strada str|bulevardul b_dul bdul bd bld bul blvd bvd b_d bulevard|aleea al ale alee|calea cal|piața p_ța pța pi|șoseaua șos șosea|intrarea intr|drumul dr drum|splaiul spl splai|fundătura fund fdt fnd fundac|prelungirea prel|pasajul pas pasaj|cartierul cart cartier|stradela str_la sdla
scuarul scuar|parcul parc|cvartalul cvart|drumul_național drum_național dn|drumul_județean drum_județean dj|drumul_comunal drum_comunal dc|rotonda|sectorul sect|promenada|via|comuna com|tarlaua tarla`,
  ru: `
*улица ул|проспект пр_т пр_кт просп пр|проезд пр_д пр_зд|переулок пер|площадь пл|бульвар б_р бул бульв|набережная наб|шоссе ш|аллея ал|тупик туп|микрорайон мкр мкрн м_н мк_н|квартал кв_л кварт|линия лин|тракт тр_т|дорога дор|просека пр_ка прос|посёлок пос|деревня дер|станция ст|хутор х
садовое_товарищество снт|территория тер|километр км|спуск|площадка пл_ка|остров о_в|парк|сквер|мост|вал|слобода сл|кольцо к_цо|разъезд рзд|станица ст_ца|магистраль маг|городок гор_к|жилой_комплекс жк|участок уч_к|автодорога а_д|рабочий_посёлок рп`,
  uk: `
*вулиця вул|проспект просп пр_т пр_кт пр|провулок пров пр_к|площа пл|бульвар бул бульв б_р|набережна наб|шосе ш|алея ал|тупик туп|узвіз узв|проїзд пр_д|дорога дор|лінія лін|майдан майд м_н|мікрорайон мкр мкрн мк_н|квартал кв_л|спуск|станція ст|шлях|селище сел|селище_міського_типу смт
житловий_масив ж_м|хутір х|парк|сквер|тракт|садове_товариство ст|вал`,
  bg: `
*улица ул|булевард бул б_д|площад пл|жилищен_комплекс ж_к жк|квартал кв|алея ал|проспект пр|шосе ш|път|местност м_ст мест|вилна_зона в_з вз|магистрала маг|автомагистрала ам|кей|парк|мост|комплекс компл к_с|махала мах|курортен_комплекс к_к|микрорайон мкр`,
  sr: `
*улица ул|булевар бул|трг|пут|насеље нас|кеј|мост|парк|сквер`,
  el: `
*οδός οδ οδού|λεωφόρος λεωφ λεωφόρου λ|πλατεία πλ πλατ πλατείας|πάροδος παρ πάρ παρόδ|στοά|δρόμος δρ|αδιέξοδος αδ|εθνική_οδός ε_ο εο εθν_οδ|επαρχιακή_οδός επ_οδ|περιφερειακή_οδός περιφ|πεζόδρομος πεζ πεζοδρ|ακτή|συνοικία συν|συνοικισμός συν|τετράγωνο ο_τ|χιλιόμετρο χλμ χιλ|πάρκο|οικισμός οικ`,
  lt: `
gatvė g|prospektas pr prosp|alėja al|aikštė a|skersgatvis skg|plentas pl|kelias kel kl|takas tak tk|bulvaras bulv|krantinė krant kr|akligatvis aklg akl|tiltas|skveras skv|kvartalas kv|rajonas raj|kaimas k|žiedas|aplinkkelis apl aplinkl|mikrorajonas mkr`,
  lv: `
iela|prospekts pr|bulvāris bulv|laukums lauk|ceļš c|gatve|aleja al|šoseja|šķērsiela šķērsi|dambis|krastmala krastm|līnija līn|taka|tilts|mikrorajons mkr|kvartāls kv`,
  et: `
tänav tn t|maantee mnt|puiestee pst|plats pl|väljak|tee|põik pk|allee|rada|kai quai|ring|park|mikrorajoon mkr`,
  mt: `
triq tr trq|pjazza p_zza pza pjz pj|misraħ mis|sqaq sq|vjal vj|trejqa tr|taraġ|xatt|moll|pont|strada str`,
  tr: `
sokak sok sk sokağı s|cadde cad cd caddesi c|mahalle mah mh mahallesi|bulvar blv bul bulv bulvarı|meydan myd mey meyd meydanı|çıkmaz çık çkm çıkmazı|yol yolu|köprü köprüsü|site sit sitesi|park parkı|köy köyü|geçit geçidi|yokuş yokuşu|merdiven merdiveni|iskele iskelesi|otoyol otoyolu|durak durağı
çarşı çarşısı|pasaj pasajı|sanayi_sitesi san_sit san_sitesi|organize_sanayi_bölgesi osb|mevki mevkii mvk|konut konutları|tünel tüneli|bahçe bahçesi|liman limanı|rıhtım rıhtımı|kooperatif koop|alan alanı|aralık aralığı ara|bağ bağı|bayır bayırı|bölge bölgesi|dere deresi|han hanı|kavşak kavşağı
kıyı kıyısı|lojman lojmanları|tepe tepesi`,
  ga: `
sráid sr|bóthar br bth|ascaill asc ascal|cearnóg cearn|plás pl|lána ln|garraí gar|gairdín gdn|gairdíní gdní|corrán cor|páirc pc|cúirt ct|ardán ard|bealach bl|céide|faiche fch|droichead|cnoc|slí|cosán|eastát est`,
  lb: `
strooss str stross|avenue av ave|boulevard bd bvd blvd boul|plaz pl place|wee w|gaass g|route rte|rue r|allee allée|impasse imp|ring|kai quai|sentier|square sq|chemin ch|parc|val|zone_industrielle zi|zone_artisanale za|promenade`,
  ko: `
로 ro|길 gil|대로 daero|가 ga|동 dong|번길 beongil beon_gil|거리 geori|리 ri|읍 eup|면 myeon|광장 gwangjang|고속도로 gosokdoro|국도 gukdo|터널 teoneol|다리 dari|대교 daegyo|교 gyo|공원 gongwon|골목 golmok|번지 beonji|도로 doro|순환로 sunhwanno sunhwanro|역 yeok`,
  ja: `
通り dōri 通|大通り ōdōri|街道 kaidō|小路 kōji|横丁 yokochō|坂 saka|町 machi chō|村 mura son|字 aza|大字 ōaza|小字 koaza|筋 suji|道 michi|国道 kokudō|県道 kendō|広場 hiroba|橋 hashi|新道 shindō`,
  cy: `
stryd st|ffordd ff ffd|heol hl|lôn|rhodfa rh|cilgant|clos|teras ter|maes|sgwâr|gerddi|rhes|parc|pont`,
  sq: `
rruga rr rrugë|bulevardi blv bul bulevard|sheshi shesh sh|lagjja lgj lag lagje|lagja l|rrugica|unaza`,
};

/** Directions, saints, titles, ranks and other words that names of streets abbreviate. */
export const otherWordSource = `
north n nth|south s so sth|east e|west w|northeast ne n_e north_east|northwest nw n_w north_west|southeast se s_e south_east|southwest sw s_w south_west|northbound nb|southbound sb|eastbound eb|westbound wb|norte n nte|sur s|sul s|este e|leste l|oeste o w|oriente ote|poniente pte|nord n|sud s
est e|ouest o|ovest o|ost o|süd s|noord n|zuid z|oost o|nordre ndr nr|søndre sdr|vestre vestr v|østre østr ø|norra n|södra s|västra v|östra ö|nørre nr|sønder sdr|øster ø|vester v|saint st s|sainte ste|saints sts|saintes stes|san s sn|santa sta s ta|santo sto s|santi ss|sant s|sankt st skt s
sint st s|são s|svatý sv|svatá sv|svaté sv|svatého sv|sveti sv|sveta sv|svetog sv|święty św|święta św|świętego św|świętej św|świętych św|sfântul sf|sfânta sf|sfinții sf|святой св|святого св|святая св|свети св|света св|αγίου αγ|αγίας αγ|άγιος αγ|αγία αγ|αγίων αγ|szent szt|naomh n|notre_dame n_d
nuestra_señora ntra_sra nta_sra|nossa_senhora n_sra nsa_sra|maria ma|virgen vgn|doctor dr|doctora dra|doktor dr|doutor dr|doutora dra|dottore dott dr|docteur dr|доктор д_р|доктора д_ра|profesor prof|professor prof|professeur pr prof|professore prof|profesora profa prof|professora profa prof
професор проф|профессор проф|профессора проф|engineer eng|ingeniero ing|ingénieur ing|ingegnere ing|inżynier inż|inginer ing|engenheiro eng engo|arquitecto arq|arquiteto arq|licenciado lic|maestro mtro|general gen gral gnral|generale gen|général gal gen|generała gen|генерала ген|генерал ген
colonel col|coronel cnel cel crnl|colonnello col|pułkownika płk|captain capt cpt|capitán cap|capitão cap|capitaine cne|capitano cap|lieutenant lieut lt|teniente tte|tenente ten|major maj mjr|commandant cdt cmdt|comandante cmdte cte|majora mjr|sergeant sgt|sargento sgto sgt|sergent sgt
maréchal mal mar|mariscal mcal mscal|marechal mal mar|maresciallo mar|marszałka marsz|маршала марш|admiral adm|almirante alm|amiral am|ammiraglio amm|адмирала адм|president pres|presidente pdte pte pres|président pdt pres|senator sen|senador sen|governador gov|gobernador gob|ministro min
ministre min|embajador emb|embaixador emb|conselheiro cons|comendador com|intendente int|prefeito pref|monsignor mons msgr|monseigneur mgr|monsignore mons|monseñor mons|monsenhor mons|father fr|fray fr|frei fr|padre p pe|père p|księdza ks|księcia ks|biskupa bp|arcybiskupa abp|kardynała kard
cardinal card|cardenal card|cardeal card|bishop bp|obispo ob|bispo bpo|don d|doña dña|dom d|dona d|conde cde|marqués mqs|marquês mq|barão br|visconde visc|reverend rev|junior jr|senior sr|hermanos hnos|irmãos|frères frs|fratelli f_lli flli|академика акад|akademika akad|bohaterów boh|imienia im
имени им|імені ім|burgemeester burg bgm|bürgermeister bgm bürgerm|dominee ds|koning kon|koningin kon|generaal gen|great gt grt|grand gd grd g gr|grande gde gd gr g|grands gds|petit pt p|petite pte p|new nw|old|upper upr|lower lwr|little ltl|middle mid|county co cty cnty c|state st s|township twp
federal fed f|national nat natl|provincial prov|regional reg|service svc serv|private pvt|public pub|große gr|großer gr|großes gr|kleine kl|kleiner kl|kleines kl|obere ob|untere unt|grote gr|gammel gl|gamle gl|gamla|nowa|stara|mała m|wielka wlk|velká velk|malá|большая б бол|большой б бол
малая м мал|малый м мал|новая нов|старая стар|vieux vx v|vieille vle v|nouveau nouv nv n|nouvelle nouv nlle n|ancien anc|ancienne anc|haut ht|haute hte|bas|basse bse|supérieur sup|inférieur inf|industrial ind|industriale ind|industrielle ind|nacional nac nal|nationale nat|départementale dép
municipal mun mpal|international int intl|business bus|first 1st|second 2nd|third 3rd|fourth 4th|fifth 5th|sixth 6th|seventh 7th|eighth 8th|ninth 9th|tenth 10th|primera 1ra|primero 1ro|primer 1er|segunda 2da|segundo 2do|tercera 3ra|tercer 3er|premier 1er|première 1ere 1re|deuxième 2eme 2e
troisième 3eme 3e|vicinale vic|comunale com|provinciale prov|regionale reg|privata priv|privato priv|inferiore inf|superiore sup|consortile cons|marítimo mtmo mmo|particular part|peatonal peat|residencial res|vicinal vic|habitacional hab|estadual est|rural rur|communal com|communale com
forestière for|privé pr|privée pr|european e|église egl|chapelle chap|château cht chât|moulin mln|fontaine fon|musée mus|palais pal|marché mar|stade stde|hippodrome hip|abbaye abe|forum form|foyer foyr|halle hle|école éc|stazione staz|castello cast`;
