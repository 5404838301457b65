"""Nouns of the embedded corpus, one a line: ``English[ plural] | French gender[ plural] | German
gender plural[ marks]``.

An underscore is a blank inside a word. A German plural ``-`` marks a noun without plural in all
three languages (*milk*). Marks: ``weak`` for the n-declension (*den Jungen*), ``gen:FORM`` for a
genitive that the rule of `lexicon.german_genitive` does not give.
"""

NEWS_PEOPLE = """
minister | ministre m | Minister m Minister
mayor | maire m | Bürgermeister m Bürgermeister
king | roi m | König m Könige gen:Königs
queen | reine f | Königin f Königinnen
president | président m | Präsident m Präsidenten weak
judge | juge m | Richter m Richter
lawyer | avocat m | Anwalt m Anwälte
journalist | journaliste m | Journalist m Journalisten weak
general | général m | General m Generäle
ambassador | ambassadeur m | Botschafter m Botschafter
senator | sénateur m | Senator m Senatoren
spy | espion m | Spion m Spione
policeman policemen | policier m | Polizist m Polizisten weak
thief thieves | voleur m | Dieb m Diebe
professor | professeur m | Professor m Professoren
astronomer | astronome m | Astronom m Astronomen weak
duchess | duchesse f | Herzogin f Herzoginnen
prince | prince m | Prinz m Prinzen weak
jester | bouffon m | Hofnarr m Hofnarren weak
secretary | secrétaire f | Sekretärin f Sekretärinnen
detective | détective m | Detektiv m Detektive
engineer | ingénieur m | Ingenieur m Ingenieure
soldier | soldat m | Soldat m Soldaten weak
poet | poète m | Dichter m Dichter
actress | actrice f | Schauspielerin f Schauspielerinnen
pilot | pilote m | Pilot m Piloten weak
librarian | bibliothécaire f | Bibliothekarin f Bibliothekarinnen
champion | champion m | Meister m Meister
referee | arbitre m | Schiedsrichter m Schiedsrichter
surgeon | chirurgien m | Chirurg m Chirurgen weak
teacher | institutrice f | Lehrerin f Lehrerinnen
inventor | inventeur m | Erfinder m Erfinder
postman postmen | facteur m | Briefträger m Briefträger
patient | patient m | Patient m Patienten weak
jeweller | bijoutier m | Juwelier m Juweliere
collector | collectionneur m | Sammler m Sammler
dancer | danseuse f | Tänzerin f Tänzerinnen
boxer | boxeur m | Boxer m Boxer
player | joueur m | Spieler m Spieler
optician | opticien m | Optiker m Optiker
"""

MARKET_PEOPLE = """
baker | boulanger m | Bäcker m Bäcker
fisherman fishermen | pêcheur m | Fischer m Fischer
butcher | boucher m | Metzger m Metzger
cook | cuisinier m | Koch m Köche
farmer | fermier m | Bauer m Bauern weak
grandmother | grand-mère f grands-mères | Großmutter f Großmütter
grandfather | grand-père m grands-pères | Großvater m Großväter
aunt | tante f | Tante f Tanten
uncle | oncle m | Onkel m Onkel
neighbour | voisin m | Nachbar m Nachbarn weak
sailor | marin m | Matrose m Matrosen weak
captain | capitaine m | Kapitän m Kapitäne
girl | fille f | Mädchen n Mädchen
boy | garçon m | Junge m Jungen weak
widow | veuve f | Witwe f Witwen
pirate | pirate m | Pirat m Piraten weak
beekeeper | apiculteur m | Imker m Imker
tourist | touriste m | Tourist m Touristen weak
witch | sorcière f | Hexe f Hexen
florist | fleuriste f | Floristin f Floristinnen
child children | enfant m | Kind n Kinder
merchant | marchand m | Händler m Händler
knight | chevalier m | Ritter m Ritter
tailor | tailleur m | Schneider m Schneider
waiter | serveur m | Kellner m Kellner
plumber | plombier m | Klempner m Klempner
carpenter | menuisier m | Tischler m Tischler
blacksmith | forgeron m | Schmied m Schmiede
gardener | jardinier m | Gärtner m Gärtner
doctor | médecin m | Arzt m Ärzte
driver | chauffeur m | Fahrer m Fahrer
mechanic | mécanicien m | Mechaniker m Mechaniker
pastor | pasteur m | Pfarrer m Pfarrer
cashier | caissière f | Kassiererin f Kassiererinnen
bride | mariée f | Braut f Bräute
archer | archer m | Bogenschütze m Bogenschützen weak
"""

ANIMALS = """
heron | héron m | Reiher m Reiher
frog | grenouille f | Frosch m Frösche
owl | hibou m hiboux | Eule f Eulen
goat | chèvre f | Ziege f Ziegen
sheep sheep | mouton m | Schaf n Schafe
pig | cochon m | Schwein n Schweine
duck | canard m | Ente f Enten
goose geese | oie f | Gans f Gänse
parrot | perroquet m | Papagei m Papageien gen:Papageis
squirrel | écureuil m | Eichhörnchen n Eichhörnchen
elephant | éléphant m | Elefant m Elefanten weak
dragon | dragon m | Drache m Drachen weak
snake | serpent m | Schlange f Schlangen
bull | taureau m | Stier m Stiere
unicorn | licorne f | Einhorn n Einhörner
camel | chameau m | Kamel n Kamele
butterfly | papillon m | Schmetterling m Schmetterlinge
woodpecker | pic m | Specht m Spechte
worm | ver m | Wurm m Würmer
cat | chat m | Katze f Katzen
dog | chien m | Hund m Hunde
donkey | âne m | Esel m Esel
horse | cheval m | Pferd n Pferde
cow | vache f | Kuh f Kühe
hen | poule f | Henne f Hennen
seagull | mouette f | Möwe f Möwen
crab | crabe m | Krabbe f Krabben
snail | escargot m | Schnecke f Schnecken
hedgehog | hérisson m | Igel m Igel
penguin | manchot m | Pinguin m Pinguine
whale | baleine f | Wal m Wale
rabbit | lapin m | Kaninchen n Kaninchen
fox | renard m | Fuchs m Füchse
bear | ours m | Bär m Bären weak
bee | abeille f | Biene f Bienen
"""

FOOD = """
cheese | fromage m | Käse m Käse
bread | pain m | Brot n -
flour | farine f | Mehl n -
butter | beurre m | Butter f -
honey | miel m | Honig m -
salt | sel m | Salz n -
sugar | sucre m | Zucker m -
soup | soupe f | Suppe f Suppen
cake | gâteau m | Kuchen m Kuchen
tart | tarte f | Torte f Torten
apple | pomme f | Apfel m Äpfel
pear | poire f | Birne f Birnen
lemon | citron m | Zitrone f Zitronen
strawberry | fraise f | Erdbeere f Erdbeeren
cherry | cerise f | Kirsche f Kirschen
fig | figue f | Feige f Feigen
almond | amande f | Mandel f Mandeln
carrot | carotte f | Karotte f Karotten
onion | oignon m | Zwiebel f Zwiebeln
potato potatoes | pomme_de_terre f pommes_de_terre | Kartoffel f Kartoffeln
tomato tomatoes | tomate f | Tomate f Tomaten
mushroom | champignon m | Pilz m Pilze
bean | haricot m | Bohne f Bohnen
sausage | saucisse f | Wurst f Würste
ham | jambon m | Schinken m Schinken
egg | œuf m | Ei n Eier
fish fish | poisson m | Fisch m Fische
herring | hareng m | Hering m Heringe
oyster | huître f | Auster f Austern
lobster | homard m | Hummer m Hummer
sandwich | sandwich m sandwichs | Sandwich n Sandwiches gen:Sandwichs
pancake | crêpe f | Pfannkuchen m Pfannkuchen
biscuit | biscuit m | Keks m Kekse
coconut | noix_de_coco f noix_de_coco | Kokosnuss f Kokosnüsse
peanut | cacahuète f | Erdnuss f Erdnüsse
mustard | moutarde f | Senf m -
pepper | poivre m | Pfeffer m -
vinegar | vinaigre m | Essig m -
rice | riz m | Reis m -
waffle | gaufre f | Waffel f Waffeln
pumpkin | citrouille f | Kürbis m Kürbisse gen:Kürbisses
melon | melon m | Melone f Melonen
plum | prune f | Pflaume f Pflaumen
cucumber | concombre m | Gurke f Gurken
omelette | omelette f | Omelett n Omeletts
"""

DRINKS = """
water | eau f | Wasser n -
milk | lait m | Milch f -
beer | bière f | Bier n Biere
wine | vin m | Wein m Weine
lemonade | limonade f | Limonade f -
juice | jus m | Saft m Säfte
tea | thé m | Tee m -
coffee | café m | Kaffee m -
"""

THINGS = """
umbrella | parapluie m | Regenschirm m Regenschirme
hat | chapeau m | Hut m Hüte
basket | panier m | Korb m Körbe
bicycle | vélo m | Fahrrad n Fahrräder
boat | bateau m | Boot n Boote
canoe | canoë m | Kanu n Kanus
ship | navire m | Schiff n Schiffe
bucket | seau m | Eimer m Eimer
mattress | matelas m | Matratze f Matratzen
clock | horloge f | Standuhr f Standuhren
engine | moteur m | Motor m Motoren
ball | balle f | Ball m Bälle
envelope | enveloppe f | Umschlag m Umschläge
candle | bougie f | Kerze f Kerzen
window | fenêtre f | Fenster n Fenster
door | porte f | Tür f Türen
curtain | rideau m | Vorhang m Vorhänge
mirror | miroir m | Spiegel m Spiegel
hammer | marteau m | Hammer m Hämmer
glove | gant m | Handschuh m Handschuhe
telescope | télescope m | Fernrohr n Fernrohre
camera | caméra f | Kamera f Kameras
film | film m | Film m Filme
nest | nid m | Nest n Nester
drawer | tiroir m | Schublade f Schubladen
piano | piano m | Klavier n Klaviere
keyboard | clavier m | Tastatur f Tastaturen
typewriter | machine_à_écrire f machines_à_écrire | Schreibmaschine f Schreibmaschinen
screen | écran m | Bildschirm m Bildschirme
battery | batterie f | Batterie f Batterien
password | mot_de_passe m mots_de_passe | Passwort n Passwörter
cable | câble m | Kabel n Kabel
pencil | crayon m | Bleistift m Bleistifte
ink | encre f | Tinte f -
paper | papier m | Papier n -
postcard | carte_postale f cartes_postales | Postkarte f Postkarten
stamp | timbre m | Briefmarke f Briefmarken
dictionary | dictionnaire m | Wörterbuch n Wörterbücher
spoon | cuillère f | Löffel m Löffel
plate | assiette f | Teller m Teller
tablecloth | nappe f | Tischdecke f Tischdecken
pot | marmite f | Topf m Töpfe
bottle | bouteille f | Flasche f Flaschen
knife knives | couteau m | Messer n Messer
cup | tasse f | Tasse f Tassen
lamp | lampe f | Lampe f Lampen
radio | radio f | Radio n Radios
drum | tambour m | Trommel f Trommeln
flute | flûte f | Flöte f Flöten
violin | violon m | Geige f Geigen
song | chanson f | Lied n Lieder
melody | mélodie f | Melodie f Melodien
poem | poème m | Gedicht n Gedichte
novel | roman m | Roman m Romane
speech | discours m | Rede f Reden
fridge | réfrigérateur m | Kühlschrank m Kühlschränke
suitcase | valise f | Koffer m Koffer
truck | camion m | Lastwagen m Lastwagen
bus | bus m | Bus m Busse gen:Busses
taxi | taxi m | Taxi n Taxis
car | voiture f | Auto n Autos
crown | couronne f | Krone f Kronen
sword | épée f | Schwert n Schwerter
throne | trône m | Thron m Throne
arrow | flèche f | Pfeil m Pfeile
diamond | diamant m | Diamant m Diamanten weak
gift | cadeau m | Geschenk n Geschenke
dress | robe f | Kleid n Kleider
calendar | calendrier m | Kalender m Kalender
axe | hache f | Axt f Äxte
flowerpot | pot_de_fleurs m pots_de_fleurs | Blumentopf m Blumentöpfe
cage | cage f | Käfig m Käfige
screw | vis f | Schraube f Schrauben
autograph | autographe m | Autogramm n Autogramme
loan | prêt m | Kredit m Kredite
coin | pièce_de_monnaie f pièces_de_monnaie | Münze f Münzen
rope | corde f | Seil n Seile
ladder | échelle f | Leiter f Leitern
statue | statue f | Statue f Statuen
portrait | portrait m | Porträt n Porträts
map | carte f | Landkarte f Landkarten
book | livre m | Buch n Bücher
flag | drapeau m | Fahne f Fahnen
bell | cloche f | Glocke f Glocken
balloon | ballon m | Ballon m Ballons
boot | botte f | Stiefel m Stiefel
coat | manteau m | Mantel m Mäntel
net | filet m | Netz n Netze
barrel | tonneau m | Fass n Fässer
anchor | ancre f | Anker m Anker
lantern | lanterne f | Laterne f Laternen
"""

#: Places one is *in* (dans, in).
ROOMS = """
cave | grotte f | Höhle f Höhlen
stadium | stade m | Stadion n Stadien
harbour | port m | Hafen m Häfen
marsh | marais m | Sumpf m Sümpfe
church | église f | Kirche f Kirchen
hospital | hôpital m | Krankenhaus n Krankenhäuser gen:Krankenhauses
desert | désert m | Wüste f Wüsten
castle | château m | Schloss n Schlösser
palace | palais m | Palast m Paläste
museum | musée m | Museum n Museen
library | bibliothèque f | Bibliothek f Bibliotheken
school | école f | Schule f Schulen
theatre | théâtre m | Theater n Theater
garden | jardin m | Garten m Gärten
kitchen | cuisine f | Küche f Küchen
forest | forêt f | Wald m Wälder
village | village m | Dorf n Dörfer
restaurant | restaurant m | Restaurant n Restaurants
bakery | boulangerie f | Bäckerei f Bäckereien
shop | boutique f | Laden m Läden
hotel | hôtel m | Hotel n Hotels
lighthouse | phare m | Leuchtturm m Leuchttürme
zoo | zoo m | Zoo m Zoos
circus | cirque m | Zirkus m Zirkusse gen:Zirkus
stable | étable f | Stall m Ställe
embassy | ambassade f | Botschaft f Botschaften
tunnel | tunnel m | Tunnel m Tunnel
tower | tour f | Turm m Türme
prison | prison f | Gefängnis n Gefängnisse gen:Gefängnisses
fortress | forteresse f | Festung f Festungen
cellar | cave f | Keller m Keller
bathroom | salle_de_bains f salles_de_bains | Badezimmer n Badezimmer
office | bureau m | Büro n Büros
park | parc m | Park m Parks gen:Parks
"""

#: Places one is *on* (sur, auf).
GROUNDS = """
island | île f | Insel f Inseln
bridge | pont m | Brücke f Brücken
square | place f | Platz m Plätze
mountain | montagne f | Berg m Berge
roof | toit m | Dach n Dächer
hill | colline f | Hügel m Hügel
lawn | pelouse f | Wiese f Wiesen
terrace | terrasse f | Terrasse f Terrassen
"""

#: Places one is only near, in front of or behind.
SIGHTS = """
river | rivière f | Fluss m Flüsse
well | puits m | Brunnen m Brunnen
market | marché m | Markt m Märkte
station | gare f | Bahnhof m Bahnhöfe
road | route f | Landstraße f Landstraßen
beach | plage f | Strand m Strände
farm | ferme f | Bauernhof m Bauernhöfe
crossing | carrefour m | Kreuzung f Kreuzungen
parliament | parlement m | Parlament n Parlamente
"""

AFFAIRS = """
law | loi f | Gesetz n Gesetze
tax | impôt m | Steuer f Steuern
treaty | traité m | Vertrag m Verträge
election | élection f | Wahl f Wahlen
holiday | jour_férié m jours_fériés | Feiertag m Feiertage
verdict | verdict m | Urteil n Urteile
strike | grève f | Streik m Streiks gen:Streiks
festival | festival m festivals | Festival n Festivals
parade | défilé m | Umzug m Umzüge
wedding | mariage m | Hochzeit f Hochzeiten
scandal | scandale m | Skandal m Skandale
reform | réforme f | Reform f Reformen
vote | vote m | Abstimmung f Abstimmungen
discovery | découverte f | Entdeckung f Entdeckungen
invention | invention f | Erfindung f Erfindungen
prize | prix m | Preis m Preise
contest | concours m | Wettbewerb m Wettbewerbe
concert | concert m | Konzert n Konzerte
debate | débat m | Debatte f Debatten
rumour | rumeur f | Gerücht n Gerüchte
secret | secret m | Geheimnis n Geheimnisse gen:Geheimnisses
plan | projet m | Plan m Pläne
decision | décision f | Entscheidung f Entscheidungen
report | rapport m | Bericht m Berichte
exhibition | exposition f | Ausstellung f Ausstellungen
storm | tempête f | Sturm m Stürme
crisis crises | crise f | Krise f Krisen
interview | interview f | Interview n Interviews
revolution | révolution f | Revolution f Revolutionen
mistake | erreur f | Fehler m Fehler
anthem | hymne m | Hymne f Hymnen
ceremony | cérémonie f | Zeremonie f Zeremonien
expedition | expédition f | Expedition f Expeditionen
conference | conférence f | Konferenz f Konferenzen
budget | budget m | Haushalt m Haushalte
"""

#: What nobody sells, steals or weighs; these are cues only.
ODDITIES = """
moon | lune f | Mond m - gen:Mondes
finger | doigt m | Finger m Finger
eye | œil m yeux | Auge n Augen
cheek | joue f | Wange f Wangen
smoke | fumée f | Rauch m - gen:Rauches
goal | but m | Tor n Tore
column | colonne f | Spalte f Spalten
statistic | statistique f | Statistik f Statistiken
word | mot m | Wort n Wörter
alphabet | alphabet m | Alphabet n Alphabete
oak | chêne m | Eiche f Eichen
leaf leaves | feuille f | Blatt n Blätter
chimney | cheminée f | Schornstein m Schornsteine
machine | machine f | Maschine f Maschinen
chapter | chapitre m | Kapitel n Kapitel
"""
