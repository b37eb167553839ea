// The stories of the second tab. tern-sim and tern-sim-mutants wrote the histories. What lives at
// ghost_from or later is a ghost.
const stories = [
  {title: "1. The race", text: "MIGRATE arrives before CREATE.", history: "@race@", notes: {
    0: "Three peers. Peer 1 is the host: it decides who owns an object. Nobody has one yet.",
    1: "Peer 2 creates an object and sends CREATE to both others. 2.1 is the name of the object: "
      + "the first one of peer 2. Its stamp is 0, and grows whenever it changes its owner.",
    2: "CREATE arrives at peer 1. The other CREATE is late, as datagrams are.",
    3: "Peer 1 takes the object over, and sends MIGRATE to both others.",
    4: "MIGRATE arrives at peer 3 before the CREATE: an object that peer 3 has never seen changes "
      + "its owner. The published fix, and tern, let MIGRATE create the object.",
    5: "Now the CREATE arrives. It is from the past: its stamp 0 is older than 1.1.1, so it "
      + "changes nothing. A peer that believed it would have the former owner again.",
    6: "MIGRATE arrives at peer 2. All three believe the same.",
  }},
  {title: "2. The published fix", text: "By the article on Bitsquid's network: MIGRATE creates.",
    history: "@fix@", ghost_from: 7, notes: {
    0: "The same three peers, with the fix as it was published: tern without its memory of "
      + "destroyed objects.",
    1: "Peer 2 creates 2.1 and sends CREATE to both others.",
    2: "CREATE arrives at peer 1. The other CREATE is late again.",
    3: "Peer 1 takes the object over, and sends MIGRATE to both others.",
    4: "Peer 1 destroys it, and sends DEAD, with what is destroyed.",
    5: "MIGRATE arrives at peer 3. Thanks to the fix it creates the object.",
    6: "The destruction arrives. Peer 3 deletes the object and forgets it.",
    7: "The CREATE comes last. As far as peer 3 remembers, it has never seen 2.1, so it creates "
      + "the object: a ghost.",
    8: "Peer 2 crashes, so the owner that could tell peer 3 is gone.",
    9: "The host sees that peer 2 is gone, and asks what is left of its objects.",
    10: "Peer 3 reports the ghost.",
    11: "The object lives again at peer 1, which has destroyed it itself. Nobody lied, and nothing "
      + "was forged: the order alone did it.",
  }},
  {title: "3. tern's rule", text: "The same order; a destroyed object stays destroyed.",
    history: "@rule@", notes: {
    0: "The same order of messages once more, with the rule of tern: the newest stamp wins, and a "
      + "destroyed object is remembered.",
    1: "Peer 2 creates 2.1 and sends CREATE to both others.",
    2: "CREATE arrives at peer 1. The other CREATE is late again.",
    3: "Peer 1 takes the object over, and sends MIGRATE to both others.",
    4: "Peer 1 destroys it, and remembers its id.",
    5: "MIGRATE arrives at peer 3 and creates the object, as before.",
    6: "The destruction arrives. Peer 3 deletes the object, and remembers its id, too.",
    7: "The CREATE comes last. Peer 3 knows that 2.1 is destroyed, and ignores it: no ghost.",
    8: "Peer 2 crashes.",
    9: "The host sees that peer 2 is gone, and asks what is left of its objects.",
    10: "Peer 3 answers that 2.1 is destroyed.",
    11: "That is what peer 1 believes, too.",
    12: "The report is complete: nothing of peer 2 is left.",
    13: "The host announces which objects are destroyed, for those that might not know.",
    14: "All that live believe the same. tern's explorer plays every order of messages in small "
      + "worlds like this one, and none ends otherwise.",
  }},
];
