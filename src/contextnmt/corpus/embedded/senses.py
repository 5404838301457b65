"""Ambiguous English nouns of the embedded corpus: two senses each, one a line.

``English[ plural] | French | German | cue nouns[ ; cue adjectives]``, written as in
`nouns`. A cue belongs to one of the two senses only, so that it decides between them; a
word without plural in one sense has none in the other, or its number would be a cue too.
"""

SENSES = """
bank | banque f | Bank f Banken | loan coin cashier budget ; modern
bank | rive f | Ufer n Ufer | river heron frog canoe ; wet
spring | source f | Quelle f Quellen | water goat mountain well ; cold
spring | ressort m | Feder f Federn | mattress clock engine machine ; rusty
bat | chauve-souris f chauves-souris | Fledermaus f Fledermäuse
    | cave owl moon castle ; hungry sleepy
bat | batte f | Schläger m Schläger | ball stadium player champion ; broken
seal | phoque m | Robbe f Robben | fish penguin island whale ; lazy
seal | sceau m | Siegel n Siegel | treaty envelope king law ; official golden
crane | grue f | Kranich m Kraniche | marsh frog nest egg ; shy
crane | grue f | Kran m Kräne gen:Krans | harbour ship tower engineer ; rusty
pen | stylo m | Füller m Füller | ink paper poem envelope ; elegant
pen | enclos m | Gehege n Gehege | sheep pig goat farmer ; crowded
fan | éventail m éventails | Fächer m Fächer | duchess dancer dress bride ; elegant
fan | supporter m | Fan m Fans gen:Fans | stadium goal player champion ; enthusiastic
organ | orgue m | Orgel f - | church pastor anthem piano ; noisy
organ | organe m | Organ n - | surgeon hospital patient doctor ; tired
palm | palmier m | Palme f Palmen | island coconut desert camel ; gigantic
palm | paume f | Handfläche f Handflächen | finger glove cheek coin ; nervous
pitcher | lanceur m | Werfer m Werfer | ball stadium player champion ; nervous proud
pitcher | cruche f | Krug m Krüge | milk water lemonade juice ; fragile
star | étoile f | Stern m Sterne | telescope moon astronomer owl ; invisible
star | vedette f | Star m Stars | film camera actress autograph ; jealous elegant
bill | facture f | Rechnung f Rechnungen | waiter restaurant plumber hotel ; expensive
bill | bec m | Schnabel m Schnäbel | duck goose parrot woodpecker ; yellow
key | clé f | Schlüssel m Schlüssel | door drawer castle cellar ; rusty
key | touche f | Taste f Tasten | piano keyboard typewriter melody ; noisy
plant | plante f | Pflanze f Pflanzen | gardener flowerpot leaf butterfly ; green
plant | usine f | Fabrik f Fabriken | engineer chimney machine smoke ; modern
table | table f | Tisch m Tische | plate spoon tablecloth carpenter ; round
table | tableau m | Tabelle f Tabellen | column statistic report budget ; official
pupil | élève m | Schüler m Schüler | teacher school dictionary alphabet ; lazy
pupil | pupille f | Pupille f Pupillen | eye optician lamp cheek ; dry
volume | tome m | Band m - gen:Bandes | library librarian chapter novel ; dusty
volume | volume m | Lautstärke f - | radio drum bell concert ; deafening
scale | écaille f | Schuppe f Schuppen | dragon snake fish herring ; green
scale | balance f | Waage f Waagen | flour butcher sugar market ; modern
note | note f | Note f Noten | melody flute violin song ; sad
note | mot m | Zettel m Zettel | fridge pencil secretary drawer ; polite
draft | brouillon m | Entwurf m Entwürfe | speech poem novel chapter ; absurd
draft | courant_d'air m courants_d'air | Luftzug m Luftzüge | window door candle curtain ; cold
notebook | cahier m | Heft n Hefte | pencil poem ink school ; dusty
notebook | ordinateur_portable m ordinateurs_portables | Laptop m Laptops
    | battery password screen cable ; modern
bar | bar m | Kneipe f Kneipen | beer wine waiter sailor ; crowded
bar | barre f | Stange f Stangen | cage blacksmith prison parrot ; rusty
light | feu m | Ampel f - | crossing bus taxi driver ; broken
light | lumière f | Licht n - | moon lantern candle lighthouse ; warm
letter | lettre f | Brief m Briefe | postman stamp envelope postcard ; polite
letter | lettre f | Buchstabe m Buchstaben weak gen:Buchstabens
    | alphabet word dictionary keyboard ; round
watch | montre f | Uhr f - | jeweller diamond collector coin ; golden
watch | garde f | Wache f - | soldier fortress general palace ; sleepy brave
match | allumette f | Streichholz n Streichhölzer gen:Streichholzes
    | candle smoke lantern lamp ; wet
match | match m matchs | Spiel n Spiele | goal referee stadium player ; historic
ring | bague f | Ring m Ringe gen:Ringes | diamond bride jeweller wedding ; golden
ring | ring m | Boxring m Boxringe gen:Boxrings | boxer referee champion glove ; crowded
trunk | tronc m | Stamm m Stämme | oak forest woodpecker axe ; dry
trunk | trompe f | Rüssel m Rüssel | elephant zoo circus peanut ; curious
nail | clou m | Nagel m Nägel | hammer carpenter ladder roof ; rusty
nail | ongle m | Fingernagel m Fingernägel | finger glove dancer actress ; elegant
court | tribunal m | Gericht n Gerichte | judge lawyer thief verdict ; modern
court | cour f | Hof m Höfe | king queen jester crown ; elegant
date | date f | Datum n - | calendar wedding holiday ceremony ; historic
date | datte f | Dattel f - | camel desert fig almond ; sweet delicious
mole | taupe f | Maulwurf m Maulwürfe | worm lawn garden tunnel ; hungry
mole | grain_de_beauté m grains_de_beauté | Muttermal n Muttermale
    | cheek doctor mirror actress ; elegant
jam | confiture f | Marmelade f - | strawberry pancake cherry butter ; sweet delicious
jam | embouteillage m | Stau m - | truck road driver bus ; noisy
horn | corne f | Horn n Hörner | goat bull unicorn dragon ; golden
horn | klaxon m | Hupe f Hupen | taxi car truck bus ; noisy
speaker | orateur m | Redner m Redner | speech parliament debate conference ; nervous polite
speaker | haut-parleur m haut-parleurs | Lautsprecher m Lautsprecher
    | radio cable concert melody ; broken
bow | arc m | Bogen m Bögen | arrow archer knight sword ; heavy
bow | nœud m | Schleife f Schleifen | gift dress bride hat ; elegant
nut | noix f | Nuss f Nüsse | squirrel cake almond honey ; delicious
nut | écrou m | Schraubenmutter f Schraubenmuttern | screw mechanic engine bicycle ; rusty
pipe | pipe f | Pfeife f Pfeifen | sailor captain smoke grandfather ; warm
pipe | tuyau m | Rohr n Rohre | plumber bathroom water well ; rusty
ruler | règle f | Lineal n Lineale gen:Lineals | pencil paper school map ; useful
ruler | souverain m | Herrscher m Herrscher | throne crown palace treaty ; proud
"""
